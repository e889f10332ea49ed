import { setImmediate } from 'node:timers/promises'
import { ToolError } from '@dsh/tools'
import { breaksIn, type Change } from '../files/hunks.ts'
import { count } from '../text/count.ts'
import { findMatches, MAX_MATCHES, type TextPair } from './find-matches.ts'
import { noMatchHint } from './no-match-hint.ts'
import { ChangeLog, changesOf, replaceStretches } from './replacements.ts'

/** One change to a file, as a model asks for it. */
export interface Edit extends TextPair {
  readonly replaceAll?: boolean
}

/** Where an edit was applied. A type, as it is JSON. */
export type AppliedEdit = {
  /** 1-based number of the line of its first match, in the text that the edits before it left. */
  readonly line: number
  readonly replacements: number
}

/** A text with all edits in it. */
export interface EditedText {
  readonly text: string
  readonly applied: readonly AppliedEdit[]
  readonly changes: readonly Change[]
}

const LISTED_LINES = 5
/** How long edits hold up everything else at a time. */
const MAX_HELD_MS = 20

/**
 * Apply edits one after another, each to the text that those before it left. Many edits of a long text take seconds: others get their turn meanwhile.
 * @throws ToolError EMPTY_OLD_TEXT, NO_CHANGE, NO_MATCH, SEVERAL_MATCHES, which names the edit; the signal's reason. Then none is applied.
 */
export async function applyEdits(original: string, edits: readonly Edit[], signal: AbortSignal): Promise<EditedText> {
  let text = original
  const log = new ChangeLog()
  const lines = new LineCounter()
  let since = performance.now()
  const applied: AppliedEdit[] = []
  for (const [index, edit] of edits.entries()) {
    if (performance.now() - since > MAX_HELD_MS) {
      await setImmediate()
      signal.throwIfAborted()
      since = performance.now()
    }
    const which = edits.length === 1 ? 'oldText' : `oldText of edit ${index + 1} of ${edits.length}`
    assertUsable(edit, which)
    const mode = edit.replaceAll === true ? 'all' : 'one'
    const matches = findMatches(text, edit, mode)
    const [first] = matches
    if (first === undefined) throw noMatch(which, noMatchHint(text, original, edit))
    if (mode === 'one' ? matches.length > 1 : matches.length > MAX_MATCHES.all) throw severalMatches(which, text, matches)
    applied.push({ line: lines.lineAt(text, first.start), replacements: matches.length })
    log.add(changesOf(matches))
    text = replaceStretches(text, matches)
  }
  return { text, applied, changes: log.total() }
}

/** Numbers of lines, counted from the last place asked for: edits come near each other, and each leaves what is before its first match. */
class LineCounter {
  #place = 0
  #line = 1

  lineAt(text: string, place: number): number {
    this.#line += place >= this.#place ? breaksIn(text, this.#place, place) : -breaksIn(text, place, this.#place)
    this.#place = place
    return this.#line
  }
}

function assertUsable({ oldText, newText }: Edit, which: string): void {
  if (oldText === '') {
    throw new ToolError(`${which} is empty. Send the text to replace; to write a whole file, use write. Nothing was changed.`, {
      code: 'EMPTY_OLD_TEXT',
    })
  }
  if (oldText === newText) {
    throw new ToolError(`${which} and its newText are the same. Send what it shall become. Nothing was changed.`, { code: 'NO_CHANGE' })
  }
}

function noMatch(which: string, hint: string): ToolError {
  return new ToolError(`${which} does not stand in the file. ${hint} Nothing was changed.`, { code: 'NO_MATCH' })
}

function severalMatches(which: string, text: string, matches: readonly { readonly start: number }[]): ToolError {
  const lines: number[] = []
  const counter = new LineCounter()
  for (const { start } of matches.slice(0, LISTED_LINES)) lines.push(counter.lineAt(text, start))
  const more = matches.length > LISTED_LINES ? ', …' : ''
  const many = Object.values(MAX_MATCHES).includes(matches.length - 1)
    ? `more than ${count(matches.length - 1, 'time')}`
    : count(matches.length, 'time')
  const places = `${many} (${new Set(lines).size === 1 ? 'line' : 'lines'} ${[...new Set(lines)].join(', ')}${more})`
  const wayOut =
    matches.length > MAX_MATCHES.all ? 'Send a longer text.' : 'Send more of the text around the place you mean, or replaceAll.'
  const message = `${which} stands in the file ${places}. ${wayOut} Nothing was changed.`
  return new ToolError(message, { code: 'SEVERAL_MATCHES' })
}
