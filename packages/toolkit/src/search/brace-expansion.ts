import { ToolError } from '@dsh/tools'

const MAX_ALTERNATIVES = 256

/**
 * Expand `{a,b}` into the alternatives it stands for, nested ones included. Braces behind a backslash or inside `[...]` are
 * characters.
 * @throws ToolError INVALID_PATTERN for braces without a partner and for more than 256 alternatives.
 */
export function expandBraces(pattern: string): string[] {
  let done: string[] = []
  let pending = [pattern]
  while (pending.length > 0) {
    const next: string[] = []
    for (const text of pending) {
      const group = firstGroup(text, pattern)
      if (group === undefined) done = [...done, text]
      else next.push(...group.choices.map((choice) => text.slice(0, group.start) + choice + text.slice(group.end)))
    }
    if (done.length + next.length > MAX_ALTERNATIVES) {
      throw invalid(pattern, `its braces stand for more than ${MAX_ALTERNATIVES} alternatives. Use several calls`)
    }
    pending = next
  }
  return [...new Set(done)]
}

interface Group {
  readonly start: number
  readonly end: number
  readonly choices: readonly string[]
}

/** The first outermost group of a text. */
function firstGroup(text: string, pattern: string): Group | undefined {
  let start = -1
  let depth = 0
  const commas: number[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '[') at = skipClass(text, at)
    else if (character === '{') {
      if (depth++ === 0) start = at
    } else if (character === ',' && depth === 1) commas.push(at)
    else if (character === '}') {
      if (depth === 0) throw invalid(pattern, 'a "}" has no "{". Write "\\}" for the character')
      if (--depth === 0) return { start, end: at + 1, choices: choicesOf(text, [start, ...commas, at]) }
    }
  }
  if (depth > 0) throw invalid(pattern, 'a "{" has no "}". Close it, or write "\\{" for the character')
  return undefined
}

function choicesOf(text: string, borders: readonly number[]): string[] {
  return borders.slice(1).map((border, index) => text.slice((borders[index] as number) + 1, border))
}

function skipClass(text: string, start: number): number {
  const first = text[start + 1] === '!' || text[start + 1] === '^' ? start + 2 : start + 1
  const end = text.indexOf(']', first + 1)
  return end === -1 ? start : end
}

function invalid(pattern: string, why: string): ToolError {
  return new ToolError(`The glob ${JSON.stringify(pattern)} cannot be used: ${why}.`, { code: 'INVALID_PATTERN' })
}
