import type { ModelEvent, ModelRequest, ModelService } from '@dsh/tools/ports'

/** What a model says to one request: pieces, or a way to make them. */
export type Script =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>)

export interface ScriptedModel extends ModelService {
  /** What it was asked, in order. */
  readonly requests: ModelRequest[]
}

/** A model that gives these answers, one a request. */
export function scriptedModel(...scripts: Script[]): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    requests,
    selection: { provider: 'test', model: 'scripted' },
    async *stream(request, signal) {
      requests.push(request)
      const script = scripts[requests.length - 1]
      if (script === undefined) throw new Error(`The test did not expect request ${requests.length}.`)
      yield* typeof script === 'function' ? script(request, signal) : script
    },
  }
}

/** A whole answer: text. */
export function says(text: string): ModelEvent[] {
  return [{ kind: 'text', text }, usage(10, 5), { kind: 'finish', reason: 'stop' }]
}

/** A whole answer: calls, by name, with their arguments. */
export function asks(...calls: readonly (string | readonly [name: string, args: unknown])[]): ModelEvent[] {
  return [...calls.map(toCall), usage(10, 5), { kind: 'finish', reason: 'tool-calls' }]
}

function toCall(call: string | readonly [string, unknown], index: number): ModelEvent {
  const [name, args] = typeof call === 'string' ? [call, {}] : call
  return { kind: 'tool-call', call: { type: 'tool-call', callId: `call-${index}`, name, arguments: JSON.stringify(args) } }
}

export function usage(inputTokens: number, outputTokens: number): ModelEvent {
  return { kind: 'usage', usage: { inputTokens, outputTokens } }
}
