import type { JsonValue } from '@dsh/tools'
import type { AssistantBlock, ModelEvent, ModelFinishReason, ModelUsage, RequestedCall } from '@dsh/tools/ports'
import { ModelError } from '../model/model-error.ts'

/** What a model answered. */
export interface Answer {
  readonly content: readonly AssistantBlock[]
  readonly calls: readonly RequestedCall[]
  readonly usage?: ModelUsage
  /** Absent while it has not ended. */
  readonly finish?: ModelFinishReason
}

interface Prose {
  readonly type: 'text' | 'reasoning'
  readonly block: string | undefined
  text: string
  meta: JsonValue | undefined
}

/** Puts an answer together from its pieces. */
export class AnswerBuilder {
  readonly #parts: (Prose | Exclude<AssistantBlock, { type: 'text' | 'reasoning' }>)[] = []
  #usage: ModelUsage | undefined
  #finish: ModelFinishReason | undefined

  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  add(event: ModelEvent): void {
    switch (event.kind) {
      case 'text':
      case 'reasoning': {
        const prose = this.#proseOf(event.kind, event.block)
        prose.text += event.text
        if (event.meta !== undefined) prose.meta = merged(prose.meta, event.meta)
        return
      }
      case 'tool-call':
        assertCall(event.call)
        this.#parts.push(event.call)
        return
      case 'content':
        this.#parts.push(event.content)
        return
      case 'usage':
        this.#usage = countsOf(event.usage)
        return
      case 'finish':
        this.#finish = event.reason
        return
      case 'tool-call-delta':
        return // for those who watch: the call comes whole
    }
  }

  /** The answer as it is: whole, when it {@link isFinished}. */
  get answer(): Answer {
    const content = this.#parts.flatMap(toBlock)
    return { content, calls: content.filter((block) => block.type === 'tool-call'), ...this.#end() }
  }

  /** What may be kept of an answer that broke off: its text. A thought that was cut is refused by those who sign thoughts; a call may have been cut, too. */
  get kept(): Answer {
    const content = this.#parts.flatMap((part) =>
      part.type === 'text' && part.text !== '' ? [{ type: 'text', text: part.text } as const] : [],
    )
    return { content, calls: [], ...this.#end() }
  }

  #end(): Pick<Answer, 'usage' | 'finish'> {
    return { ...(this.#usage && { usage: this.#usage }), ...(this.#finish && { finish: this.#finish }) }
  }

  #proseOf(type: Prose['type'], block: string | undefined): Prose {
    const last = this.#parts.at(-1)
    const found =
      block === undefined
        ? last?.type === type && 'block' in last && last.block === undefined && last
        : this.#parts.find((part) => part.type === type && 'block' in part && part.block === block)
    if (found) return found as Prose
    const prose: Prose = { type, block, text: '', meta: undefined }
    this.#parts.push(prose)
    return prose
  }
}

/** A call that is none would make a history that no model can be given. @throws ModelError */
function assertCall({ callId, name, arguments: text }: RequestedCall): void {
  if (typeof name === 'string' && name !== '' && typeof text === 'string' && typeof callId === 'string' && callId !== '') return
  const message = 'The model made a call that is none: its id and name must be texts that are not empty, and its arguments a text.'
  throw new ModelError('MODEL_STREAM_BROKEN', message, { retryable: true })
}

/** What was counted: a provider may say anything. */
function countsOf(usage: ModelUsage): ModelUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, tokens]) => Number.isFinite(tokens)))
}

function toBlock(part: Prose | Exclude<AssistantBlock, { type: 'text' | 'reasoning' }>): AssistantBlock[] {
  if (!('block' in part)) return [part]
  const { type, text, meta } = part
  return text === '' && meta === undefined ? [] : [{ type, text, ...(meta !== undefined && { meta }) }]
}

/** What each provider wants back, put together: a later piece wins, field by field. */
function merged(before: JsonValue | undefined, now: JsonValue, depth = 0): JsonValue {
  if (!isRecord(before) || !isRecord(now) || depth > 1) return now
  const all: Record<string, JsonValue> = { ...before }
  for (const [key, value] of Object.entries(now)) all[key] = merged(before[key], value, depth + 1)
  return all
}

function isRecord(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
