import { readFileSync } from 'node:fs'
import type { ModelEvent, ModelRequest, ModelService } from '@dsh/tools/ports'
import { ModelError } from './model-error.ts'
import { parseRecording, placeOf, type RecordedAnswer } from './recording.ts'

/**
 * A model that gives the answers of a recording, made by `recordModel` or by hand. Which one is told by the request alone: what its conversation is
 * about, and how many answers it holds; so a turn that a crash broke off goes on where it was. A recording of one conversation answers to any.
 * What cannot be answered is a ModelError.
 * @param file - JSON Lines. It is read at once. @throws Error naming file and line.
 */
export function recordedModel(file: string): ModelService {
  const answers = parseRecording(readFileSync(file, 'utf8'), file)
  const asked = new Map<string, number>()
  return {
    selection: { provider: 'recorded', model: file },
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted()
      const place = placeOf(request.messages)
      const candidates = candidatesFor(answers, place)
      if (candidates.length === 0) throw notRecorded(file, answers, place)
      const key = JSON.stringify(place)
      const times = asked.get(key) ?? 0
      asked.set(key, times + 1)
      const { events, error } = candidates[Math.min(times, candidates.length - 1)] as RecordedAnswer
      for (const event of events) {
        signal.throwIfAborted()
        yield event
      }
      if (error) throw new ModelError(error.code, error.message, error)
    },
  }
}

type Place = ReturnType<typeof placeOf>

/** The answers to a place, in the order they were given: a request that was made again has several. */
function candidatesFor(answers: readonly RecordedAnswer[], { about, at }: Place): readonly RecordedAnswer[] {
  const conversations = new Set(answers.map((answer) => answer.about))
  const here = answers.filter((answer) => answer.at === at)
  if (conversations.size === 1) return here
  const same = here.filter((answer) => answer.about === about)
  return same.length > 0 ? same : here.filter((answer) => answer.about === undefined)
}

function notRecorded(file: string, answers: readonly RecordedAnswer[], { about, at }: Place): ModelError {
  const topic = about === '' ? 'a conversation in which nobody has said anything' : `the conversation ${JSON.stringify(about.slice(0, 60))}`
  const message = `${file} holds ${answers.length} answers, and none for ${topic} after ${at} ${at === 1 ? 'answer' : 'answers'}.`
  return new ModelError('MODEL_REQUEST_REFUSED', `${message} Record it again, or start a new session.`, { retryable: false })
}
