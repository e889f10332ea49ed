import type { ModelEvent, ModelMessage } from '@dsh/tools/ports'
import type { ModelErrorCode } from './model-error.ts'

/** Version of the lines this package writes, and the only one it reads. */
export const RECORDING_VERSION = 1

/** One request and its answer: a line of a recording. */
export interface RecordedAnswer {
  readonly v: typeof RECORDING_VERSION
  /** The first thing a person said in it, cut: which conversation it belongs to. Absent: any. */
  readonly about?: string
  /** How many answers the request holds already: where in the conversation it stands. */
  readonly at: number
  readonly events: readonly ModelEvent[]
  /** How it broke off. */
  readonly error?: { readonly code: ModelErrorCode; readonly message: string; readonly retryable: boolean; readonly retryAfterMs?: number }
}

/** Where a request stands: what its conversation is about, and how many answers it holds. */
export function placeOf(messages: readonly ModelMessage[]): { readonly about: string; readonly at: number } {
  const first = messages.find(({ role }) => role === 'user')
  const text = first?.role === 'user' ? first.content.map((block) => (block.type === 'text' ? block.text : '')).join('') : ''
  return { about: text.slice(0, 200).toWellFormed(), at: messages.filter(({ role }) => role === 'assistant').length }
}

/** Read a recording. @throws Error naming the file, the line and what is wrong with it. */
export function parseRecording(text: string, file: string): readonly RecordedAnswer[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const wrong = (what: string) =>
      new Error(`${file}:${index + 1}: ${what}. A recording has one answer a line: {"v":1,"at":0,"events":[...]}.`)
    let answer: Partial<RecordedAnswer> | null
    try {
      answer = JSON.parse(line)
    } catch (error) {
      throw wrong(`it is not JSON (${error instanceof Error ? error.message : String(error)})`)
    }
    if (answer?.v !== RECORDING_VERSION) throw wrong(`its version is ${JSON.stringify(answer?.v)}, and this one reads ${RECORDING_VERSION}`)
    if (!Number.isSafeInteger(answer.at) || !Array.isArray(answer.events)) throw wrong('"at" has to be a number, and "events" a list')
    const odd = answer.events.find((event) => !KINDS.has(event?.kind))
    if (odd !== undefined) throw wrong(`there is no event of the kind ${JSON.stringify(odd?.kind)}`)
    return [answer as RecordedAnswer]
  })
}

const KINDS = new Set<string>([
  'text',
  'reasoning',
  'tool-call-delta',
  'tool-call',
  'content',
  'usage',
  'finish',
] satisfies ModelEvent['kind'][])
