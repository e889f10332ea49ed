import type { ContentBlock } from '../contract/content.ts'
import type { Plugin } from '../contract/host.ts'
import type { JsonValue } from '../contract/json.ts'
import type { Clock, KeepRequest, ResultStore } from '../contract/ports.ts'
import { thrownText } from '../outcome/thrown.ts'
import { clockOf } from './clock.ts'
import { headOf, tailOf, utf8Bytes } from './cut-text.ts'
import { shapeOf } from './shape.ts'

/** From where on a result is too long to be shown whole. */
export interface SpillConfig {
  /** Bytes of UTF-8 that the texts of one result may have; 50,000. At least 4,096. */
  readonly maxBytes?: number
}

/** One result to be looked at. Only a success has a value. */
interface Candidate extends KeepRequest {
  readonly content: ContentBlock[]
  readonly value?: JsonValue
}

const DEFAULT_MAX_BYTES = 50_000
const LEAST_BYTES = 4_096
const PREVIEW_BYTES = 8_000
/** How long a store may take for one result. A large one is on its way to a slow disk when it ends. */
const PATIENCE_MS = 30_000

/**
 * Keep long results out of the model's context. What is over the limit goes whole to the port `results` of this scope; the model reads
 * the shape of the value, the beginning, the end, and the locator for the tool `read_result`. Programs still get the whole value, and
 * pictures and other blocks stay. Without a store, or when it fails or takes more than 30 seconds, the text is cut all the same, says so, and `tools/diagnostic` is raised.
 * Out of reach is a value that another post-execute policy puts in place: it is rendered after all of them.
 */
export const spillPolicy: Plugin<SpillConfig | void> = {
  name: 'tool-result-spill-policy',
  inject: ['tools', 'clock'],
  apply(host, config) {
    const { maxBytes = DEFAULT_MAX_BYTES } = config ?? {}
    if (!Number.isSafeInteger(maxBytes) || maxBytes < LEAST_BYTES) {
      throw new TypeError(`The spill policy needs maxBytes to be a whole number from ${LEAST_BYTES} on.`)
    }
    const { tools } = host
    const report = (candidate: Candidate, why: string) => {
      const message = `The long result of ${candidate.tool} is not kept, and was cut: ${why}`
      tools.report({ kind: 'spill-failed', message, tool: candidate.tool, callId: candidate.callId }, candidate.agent)
    }
    const shorten = async (candidate: Candidate): Promise<ContentBlock[] | undefined> => {
      const text = longText(candidate.content, maxBytes)
      if (text === undefined) return undefined
      let locator: string | undefined
      try {
        locator = await inTime(keep(host.get('results'), candidate, text), clockOf(host))
      } catch (error) {
        report(candidate, thrownText(error))
      }
      return withPreview(candidate.content, preview(text, { locator, maxBytes, ...structureOf(candidate) }))
    }
    // in front of the others, to see what they make of the result
    host.on(
      'tools/post-execute',
      async (exec, result, next) => {
        const decision = await next()
        if (exec.parent !== undefined) return decision // a program takes the value; the logged copy is below
        const of = { callId: exec.callId, tool: exec.name, ...(exec.agent && { agent: exec.agent }) }
        if (decision.kind === 'block')
          return { ...decision, feedback: (await shorten({ ...of, content: decision.feedback })) ?? decision.feedback }
        if (decision.value !== undefined) return decision
        const value = result.isError ? {} : { value: result.value }
        const content = await shorten({ ...of, ...value, content: decision.content ?? result.content })
        return content === undefined ? decision : { ...decision, content }
      },
      { prepend: true },
    )
    host.on(
      'tools/ptc-dispatch-log',
      async ({ subCallId, name, agent }, next) => {
        const content = await next()
        return (await shorten({ callId: subCallId, tool: name, ...(agent && { agent }), content })) ?? content
      },
      { prepend: true },
    )
  },
}

/** The texts of a result as one, when they are over the limit. */
function longText(content: readonly ContentBlock[], maxBytes: number): string | undefined {
  const texts = content.flatMap((block) => ('text' in block && block.text !== undefined ? [block.text] : []))
  let bytes = 0
  for (const text of texts) bytes += text.length > maxBytes ? text.length : utf8Bytes(text)
  return bytes > maxBytes ? texts.join('\n') : undefined
}

/** @throws Error when there is no store, or it is none; whatever it throws. */
async function keep(store: ResultStore | undefined, { content: _, value, ...request }: Candidate, text: string): Promise<string> {
  if (typeof store?.keep !== 'function') throw new Error('no store of results is provided.')
  if (value !== undefined) return store.keep({ ...request, value, text })
  const keeper = await store.keepText(request)
  try {
    await keeper.append(new TextEncoder().encode(text))
    return await keeper.end()
  } catch (error) {
    await keeper.discard()
    throw error
  }
}

/** Wait for the store, but not for ever: the call hangs on it. What it keeps later nobody asks for. @throws Error when it is late. */
function inTime<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const disarm = clock.after(PATIENCE_MS, () => reject(new Error('the store did not take it in time.')))
    void work.then(resolve, reject).then(disarm)
  })
}

/** A value that is no more than a text, or a number, has no shape worth showing and nothing to query. */
function structureOf({ value }: Candidate): { readonly value?: JsonValue } {
  return typeof value === 'object' && value !== null ? { value } : {}
}

/** The preview stands where the first text was; a resource keeps all but its text. */
function withPreview(content: readonly ContentBlock[], text: string): ContentBlock[] {
  const shown: ContentBlock[] = []
  let placed = false
  for (const block of content) {
    if ('text' in block && block.text !== undefined && !placed) {
      shown.push({ type: 'text', text })
      placed = true
    }
    if (block.type === 'resource') {
      const { text: _, ...rest } = block
      shown.push(rest)
    } else if (block.type !== 'text') shown.push(block)
  }
  return shown
}

interface Kept {
  readonly locator: string | undefined
  readonly value?: JsonValue
  readonly maxBytes: number
}

function preview(text: string, { locator, value, maxBytes }: Kept): string {
  const room = Math.min(PREVIEW_BYTES, Math.floor(maxBytes / 2))
  const head = headOf(text, Math.floor((room * 2) / 3))
  const tail = tailOf(text, Math.floor(room / 3))
  const all = utf8Bytes(text)
  const left = all - utf8Bytes(head) - utf8Bytes(tail)
  const where =
    locator === undefined
      ? 'What is left out is not kept: call again for a smaller part of it.'
      : `All of it is kept as ${locator}: call read_result with this locator, and offset and limit for lines${value === undefined ? ' or pattern to search it' : ', pattern to search it, or query (like $.items[0]) for a part of the value'}.`
  return [
    `[This result is too long to show: ${bytesOf(all)}. ${where}]`,
    ...(value === undefined ? [] : [`[Its value: ${shapeOf(value)}]`]),
    head,
    `[... ${bytesOf(left)} left out ...]`,
    tail,
  ].join('\n')
}

function bytesOf(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`
}
