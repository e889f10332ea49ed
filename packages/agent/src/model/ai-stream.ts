import type { JsonValue } from '@dsh/tools'
import type { ModelEvent, ModelFinishReason, ModelUsage } from '@dsh/tools/ports'
import type { CallIds } from './call-ids.ts'
import { ModelError } from './model-error.ts'

/** A part of an answer as a provider's package gives it: of any shape. */
type Part = Readonly<Record<string, unknown>>

/** What one part of an AI SDK stream says. Parts that say nothing to an agent are left out. @throws what the provider's package reports, or a ModelError for an answer that broke off. */
export function toModelEvents(value: unknown, ids: CallIds): readonly ModelEvent[] {
  const part = record(value)
  switch (part['type']) {
    case 'text-start':
    case 'text-end':
    case 'text-delta':
      return prose('text', part)
    case 'reasoning-start':
    case 'reasoning-end':
    case 'reasoning-delta':
      return prose('reasoning', part)
    case 'tool-input-start':
      return part['providerExecuted'] === true
        ? []
        : [{ kind: 'tool-call-delta', block: ids.begin(text(part['id'])), name: text(part['toolName']), text: '' }]
    case 'tool-input-delta':
      return [{ kind: 'tool-call-delta', block: ids.of(text(part['id'])), text: text(part['delta']) }]
    case 'tool-call':
      return part['providerExecuted'] === true ? [] : [{ kind: 'tool-call', call: callOf(part, ids) }]
    case 'file':
      return fileOf(part)
    case 'finish':
      return [
        { kind: 'usage', usage: usageOf(part['usage']) },
        { kind: 'finish', reason: finishOf(part['finishReason']) },
      ]
    case 'error':
      throw part['error']
    default:
      return []
  }
}

function prose(kind: 'text' | 'reasoning', part: Part): ModelEvent[] {
  const delta = text(part['delta'])
  const meta = metaOf(part)
  return delta === '' && meta === undefined ? [] : [{ kind, text: delta, block: text(part['id']), ...(meta !== undefined && { meta }) }]
}

function callOf(part: Part, ids: CallIds) {
  const { input } = part
  const meta = metaOf(part)
  const raw = text(part['toolCallId'])
  const args = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return {
    type: 'tool-call',
    callId: ids.end(raw),
    name: text(part['toolName']),
    arguments: args,
    ...(meta !== undefined && { meta }),
  } as const
}

function fileOf(part: Part): ModelEvent[] {
  const mediaType = text(part['mediaType'])
  const { data } = part
  const bytes = typeof data === 'string' || data instanceof Uint8Array ? data : record(data)['data'] // v4 says what kind of data it is
  const base64 = bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : bytes
  if (!mediaType.startsWith('image/') || typeof base64 !== 'string') return []
  return [{ kind: 'content', content: { type: 'image', mediaType, data: base64 } }]
}

/** What the provider wants back with this piece. */
function metaOf(part: Part): JsonValue | undefined {
  const meta = part['providerMetadata']
  return meta === undefined ? undefined : (JSON.parse(JSON.stringify(meta)) as JsonValue)
}

function usageOf(value: unknown): ModelUsage {
  const { inputTokens, outputTokens } = record(value)
  const [input, output] = [record(inputTokens), record(outputTokens)]
  const counts = {
    inputTokens: input['total'],
    cachedInputTokens: input['cacheRead'],
    outputTokens: output['total'],
    reasoningTokens: output['reasoning'],
  }
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) => typeof tokens === 'number')) as ModelUsage
}

const REASONS: Readonly<Record<string, ModelFinishReason>> = {
  stop: 'stop',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'refused',
}

/**
 * Why an answer ended. When a connection ends early, provider packages hand on the calls they have, whole or not, and finish for no reason the provider
 * gave: that is no end.
 */
function finishOf(value: unknown): ModelFinishReason {
  const { unified, raw } = record(value)
  const reason = Object.hasOwn(REASONS, text(unified)) ? REASONS[text(unified)] : undefined
  if (reason !== undefined) return reason
  if (unified === 'other' && raw !== undefined) return 'other'
  throw brokenOff()
}

/** The error of an answer whose end never came. */
export function brokenOff(): ModelError {
  return new ModelError('MODEL_STREAM_BROKEN', "The model's answer broke off before its end.", { retryable: true })
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function record(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {}
}
