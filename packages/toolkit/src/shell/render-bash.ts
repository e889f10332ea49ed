import { stripVTControlCharacters } from 'node:util'
import { count } from '../text/count.ts'
import { safeEnd } from '../text/cut.ts'
import type { BashValue } from './bash-value.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** What a line held before it was written anew, as progress bars do. The CR of a CR LF is none. */
const OVERWRITTEN = /^.*\r(?!\n|$)/gm
/** Some print several, and a terminal goes to the beginning of the line once. */
const RETURNS = /\r+/g
const MAX_PROGRESS_CHARS = 200

/** Terminal output as plain text: no escapes, no control characters, and of a line that was written anew what was written last. */
export function plainOutput(text: string): string {
  return stripVTControlCharacters(text).replace(RETURNS, '\r').replaceAll('\r\n', '\n').replace(OVERWRITTEN, '').replace(CONTROLS, '')
}

/** The last line that says something; undefined when none does. */
export function lastLine(text: string): string | undefined {
  const line = plainOutput(text)
    .split('\n')
    .findLast((each) => each.trim() !== '')
    ?.trim()
  return line?.slice(0, safeEnd(line, MAX_PROGRESS_CHARS))
}

/** The output of a command is a socket, which Linux opens for nobody. */
const NO_DEVICE = /\/dev\/(?:stdout|stderr|fd\/[12]): No such device or address/

/** What a model reads of a command. */
export function renderBash(value: BashValue): string {
  const stdout = streamText(value.stdout, value.stdoutOmitted)
  const stderr = streamText(value.stderr, value.stderrOmitted)
  const streams = [stdout, stderr === '' ? '' : `[stderr]\n${stderr}`].filter((part) => part !== '')
  return [...(streams.length === 0 ? ['[no output]'] : streams), ...notes(value)].join('\n')
}

/** Where the whole output is, or why nowhere; undefined when the value has it. */
export function wholeNote({ output, outputProblem, truncated }: BashValue): string | undefined {
  if (output !== undefined) return `the whole output is kept as ${output}`
  if (!truncated) return undefined
  return `the whole output is not kept${outputProblem === undefined ? '' : `: ${outputProblem}`}`
}

function streamText(text: string, omitted: BashValue['stdoutOmitted']): string {
  if (omitted === undefined) return plainOutput(text).trimEnd()
  const mark = `[${count(omitted.bytes, 'byte')} left out]`
  return `${plainOutput(text.slice(0, omitted.at))}\n${mark}\n${plainOutput(text.slice(omitted.at)).trimEnd()}`
}

function* notes(value: BashValue): Generator<string> {
  const whole = wholeNote(value)
  if (whole !== undefined) yield `[${whole}]`
  if (NO_DEVICE.test(value.stderr)) yield '[/dev/stdout and /dev/stderr cannot be opened here: write to them with >&1 and >&2]'
  if (value.endedChildren) yield '[processes that it left in the background were ended]'
  if (value.mayStillRun) yield '[some process of it could not be ended and may still run]'
  if (value.signal !== undefined) yield `[ended by ${value.signal}]`
  else if (value.exitCode !== 0) yield `[exit code ${value.exitCode ?? 'unknown'}]`
}
