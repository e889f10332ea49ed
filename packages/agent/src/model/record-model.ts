import { appendFileSync } from 'node:fs'
import type { ModelEvent, ModelRequest, ModelService } from '@dsh/tools/ports'
import { isModelError } from './model-error.ts'
import { placeOf, RECORDING_VERSION, type RecordedAnswer } from './recording.ts'

/**
 * The same model, each answer of which is appended to a file that `recordedModel` replays; those that broke off, too. A request that the caller gave up
 * is not kept. @throws what the file cannot be written with, when an answer has ended.
 */
export function recordModel(model: ModelService, file: string): ModelService {
  return {
    ...(model.selection && { selection: model.selection }),
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const events: ModelEvent[] = []
      let error: RecordedAnswer['error']
      try {
        for await (const event of model.stream(request, signal)) {
          take(events, event)
          yield event
        }
      } catch (thrown) {
        if (isModelError(thrown)) {
          const { code, message, retryable, retryAfterMs } = thrown
          error = { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }
        }
        throw thrown
      } finally {
        const isWhole = events.at(-1)?.kind === 'finish'
        const line: RecordedAnswer = { v: RECORDING_VERSION, ...placeOf(request.messages), events, ...(error && { error }) }
        if (isWhole || error) appendFileSync(file, `${JSON.stringify(line)}\n`)
      }
    },
  }
}

/** Pieces of the same block become one, and the deltas of a call are left out: it comes whole after them. */
function take(events: ModelEvent[], event: ModelEvent): void {
  if (event.kind === 'tool-call-delta') return
  const last = events.at(-1)
  const isMore = last !== undefined && 'text' in event && 'text' in last && last.kind === event.kind && last.block === event.block
  if (!isMore || last.meta !== undefined || event.meta !== undefined) events.push(event)
  else events[events.length - 1] = { ...event, text: last.text + event.text }
}
