import type { ContentBlock, UserMessage } from '../contract/content.ts'
import { isAcceptedBy, markAccepted } from '../json/mark.ts'
import { extraKeys, hiddenKeys, isPlainArray, isPlainObject } from '../json/plain.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { isJsonObject, wellFormed } from '../json/text.ts'
import { isSound, markSound, textContent } from '../outcome/text-content.ts'

/**
 * Take content that a renderer or a policy made: checked, copied, made well-formed Unicode, frozen.
 * @throws TypeError naming what is wrong.
 */
export function acceptContent(content: unknown, what: string): ContentBlock[] {
  if (!Array.isArray(content)) throw new TypeError(`${what} must be an array of content blocks, and is ${kindOf(content)}`)
  if (isSound(content)) return content
  const text = onlyText(content)
  return text === undefined ? checked(content, what) : textContent(text)
}

/** The text of content that is one text and nothing else, as most is: such content is made by hand, at a fifth of the cost. */
function onlyText(content: readonly unknown[]): string | undefined {
  if (content.length !== 1 || !isPlainArray(content) || extraKeys(content)) return undefined
  const block: unknown = Object.getOwnPropertyDescriptor(content, 0)?.value
  if (typeof block !== 'object' || block === null || !isPlainObject(block)) return undefined
  const keys = Object.keys(block)
  if (keys.length !== 2 || hiddenKeys(block, keys)) return undefined
  // by their descriptors, so that a getter is left for the copy to read, once
  const type: unknown = Object.getOwnPropertyDescriptor(block, 'type')?.value
  const text: unknown = Object.getOwnPropertyDescriptor(block, 'text')?.value
  return type === 'text' && typeof text === 'string' ? text : undefined
}

function checked(content: readonly unknown[], what: string): ContentBlock[] {
  const blocks = snapshotJson(content) as readonly unknown[]
  let sound = true
  for (let index = 0; index < blocks.length; index++) {
    const problem = blockProblem(blocks[index])
    if (problem) throw new TypeError(`${what}[${index}] ${problem}`)
    sound &&= isWellFormed(blocks[index] as ContentBlock)
  }
  const accepted = (sound ? blocks : snapshotJson((blocks as ContentBlock[]).map(toWellFormed))) as ContentBlock[]
  markSound(accepted)
  return accepted
}

function isWellFormed(block: ContentBlock): boolean {
  return !('text' in block) || block.text === undefined || wellFormed(block.text) === block.text
}

function toWellFormed(block: ContentBlock): ContentBlock {
  return 'text' in block && block.text !== undefined ? { ...block, text: wellFormed(block.text) } : block
}

/** What accepted contexts are marked with. */
const CONTEXT = Object.freeze({})

/** Take a context message: checked, copied, frozen. @throws TypeError naming what is wrong. */
export function acceptContext(context: unknown): UserMessage {
  if (isJsonObject(context) && isAcceptedBy(context, CONTEXT)) return context as unknown as UserMessage // itself: what was dropped is known by identity
  const message = snapshotJson(context)
  const source = isJsonObject(message) ? message['source'] : undefined
  if (
    !isJsonObject(message) ||
    !isJsonObject(source) ||
    typeof source['name'] !== 'string' ||
    !['plugin', 'person'].includes(String(source['kind']))
  ) {
    throw new TypeError("a context is { source: { kind: 'plugin' | 'person', name }, content, meta? }")
  }
  const content = acceptContent(message['content'], 'content of the context')
  const accepted = snapshotJson({ ...message, content }) as object
  markAccepted(accepted, CONTEXT)
  return accepted as UserMessage
}

/** Take the contexts of a wrapper or policy. @throws TypeError naming what is wrong. */
export function acceptContexts(contexts: unknown): UserMessage[] {
  if (contexts === undefined) return []
  if (!Array.isArray(contexts)) throw new TypeError('additionalContexts must be an array')
  return contexts.map(acceptContext)
}

function blockProblem(block: unknown): string | undefined {
  if (!isJsonObject(block as never)) return `must be a content block, and is ${kindOf(block)}`
  const { type, text, mediaType, data, uri } = block as Record<string, unknown>
  if (type === 'text') return typeof text === 'string' ? undefined : 'must have text'
  if (type === 'image' || type === 'audio') {
    if (typeof mediaType !== 'string') return 'must have a mediaType'
    return isData(data) ? undefined : 'must have data: base64 text, or { store, id, bytes }'
  }
  if (type !== 'resource') return `has the unknown type ${JSON.stringify(type)}: use text, image, audio or resource`
  if (typeof uri !== 'string') return 'must have a uri'
  if (text !== undefined && typeof text !== 'string') return 'must have text that is a string'
  return data === undefined || isData(data) ? undefined : 'must have data: base64 text, or { store, id, bytes }'
}

function isData(data: unknown): boolean {
  if (typeof data === 'string') return true
  const reference = data as { store?: unknown; id?: unknown; bytes?: unknown } | null | undefined
  return typeof reference?.store === 'string' && typeof reference.id === 'string' && typeof reference.bytes === 'number'
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value
}
