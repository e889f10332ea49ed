import type { ModelEvent, ModelRequest, ModelService } from '@dsh/tools/ports'
import { toModelError } from './ai-error.ts'
import { dialectOf, toAiCall } from './ai-prompt.ts'
import { type AiSdkLanguageModel, versionOf } from './ai-sdk-model.ts'
import { brokenOff, toModelEvents } from './ai-stream.ts'
import { CallIds } from './call-ids.ts'

/**
 * Any language model of the AI SDK, of interface V3 or V4, as a model of an agent. What providers do in their own ways ends here: call ids that are
 * missing or repeated are made unique, a thought that has to go back goes back as it came, and an answer that broke off never looks whole. What goes
 * wrong is a ModelError; a request that is given up throws the reason of its signal.
 * @throws TypeError for something that is no such model.
 */
export function fromAiSdk(model: AiSdkLanguageModel): ModelService {
  const dialect = dialectOf(model, versionOf(model))
  return {
    selection: { provider: model.provider, model: model.modelId },
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted()
      const asked = new Asked(signal)
      const ids = new CallIds(request.messages)
      let hasBegun = false
      let isWhole = false
      try {
        const { stream } = await model.doStream(toAiCall(request, dialect, asked.signal) as never)
        hasBegun = true
        for await (const part of asked.partsOf(stream)) {
          for (const event of toModelEvents(part, ids)) {
            isWhole ||= event.kind === 'finish'
            yield event
          }
        }
        if (!isWhole) throw brokenOff()
      } catch (error) {
        signal.throwIfAborted()
        throw toModelError(error, model, hasBegun)
      } finally {
        asked.end()
      }
    },
  }
}

/** A request under way: given up with its caller, and its connection closed at once when nobody wants more of it. */
class Asked {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #follow = () => this.#controller.abort(this.#caller.reason)

  constructor(caller: AbortSignal) {
    this.#caller = caller
    caller.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async *partsOf(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
    const reader = stream.getReader()
    const cancel = () => {
      reader.cancel(this.signal.reason).catch(() => undefined) // what it broke with is told where it is read
    }
    this.signal.addEventListener('abort', cancel, { once: true })
    for (;;) {
      const { done, value } = await reader.read()
      this.signal.throwIfAborted()
      if (done) return
      yield value
    }
  }

  end(): void {
    this.#caller.removeEventListener('abort', this.#follow)
    this.#controller.abort(new DOMException('The answer is over.', 'AbortError'))
  }
}
