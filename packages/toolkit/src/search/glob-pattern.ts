import { ToolError } from '@dsh/tools'
import { expandBraces } from './brace-expansion.ts'
import { matchesSegment, parseSegment, type Segment } from './glob-segment.ts'

type Part = Segment | 'any-folders'

/** A compiled glob over paths relative to the searched folder, with forward slashes. */
export interface GlobPattern {
  matches(path: string): boolean
  /** Some segment begins with a literal dot: hidden files may match. */
  readonly namesHidden: boolean
  /** Globs one of which the last segment of every match fits, when that can be said simply. */
  readonly lastNames: readonly string[] | undefined
}

const MAX_CHARS = 1_000
const SIMPLE_NAME = /^(?!\*+$)[\w.*?-]+$/

/**
 * Compile a glob. `*` and `?` stay within a segment, `**` as a whole segment spans any number of folders, `[a-z]`, `[!a-z]`,
 * `{a,b}` and backslash escapes as usual. Without a slash it fits a name at any depth; a leading `/` or `./` ties it to the
 * searched folder; a leading `!` turns it round; a trailing `/` means everything below. As in a shell, wildcards do not fit
 * a leading dot: hidden names must be spelled. Matching is linear in pattern times path: no glob can hang it.
 *
 * Not ripgrep's own `--glob`, because that one overrides .gitignore and the hidden rule for whatever it matches.
 * @throws ToolError INVALID_PATTERN.
 */
export function parseGlob(pattern: string): GlobPattern {
  if (pattern.length > MAX_CHARS) throw invalidGlob(`${pattern.slice(0, 40)}...`, `it is longer than ${MAX_CHARS} characters`)
  const negated = pattern.startsWith('!')
  const alternatives = expandBraces(negated ? pattern.slice(1) : pattern).map((text) => ({ text, parts: parseParts(text, pattern) }))
  const lastNames = alternatives.map(({ text }) => text.slice(text.lastIndexOf('/') + 1))
  const namesHidden = alternatives.some(({ parts }) => parts.some((part) => part !== 'any-folders' && part.literalDot))
  return {
    matches(path) {
      const segments = path.split('/')
      if (negated && segments.some((segment) => segment.startsWith('.'))) return false
      return alternatives.some(({ parts }) => matchesPath(parts, segments)) !== negated
    },
    namesHidden: namesHidden && !negated,
    lastNames: !negated && lastNames.every((name) => SIMPLE_NAME.test(name)) ? lastNames : undefined,
  }
}

function parseParts(text: string, pattern: string): Part[] {
  const anchored = text.replace(/\/+$/, '').includes('/')
  const names = text.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) throw invalidGlob(pattern, 'it climbs with ".."; set path to the folder to search instead')
  if (names.length === 0 && !text.endsWith('/')) throw invalidGlob(pattern, 'it is empty; "**" lists every file')
  const parts = names.map((name): Part => (name === '**' ? 'any-folders' : parseSegment(name, pattern)))
  if (!anchored && parts[0] !== 'any-folders') parts.unshift('any-folders')
  if (text.endsWith('/')) parts.push('any-folders')
  // a file lies below a folder, so a last ** needs at least a name
  return parts.at(-1) === 'any-folders' ? [...parts, parseSegment('*', pattern)] : parts
}

/** Follow all ways through the pattern at once, one path segment after another. */
function matchesPath(parts: readonly Part[], segments: readonly string[]): boolean {
  let reached = new Set<number>()
  reach(parts, 0, reached)
  for (const segment of segments) {
    const next = new Set<number>()
    for (const index of reached) {
      const part = parts[index]
      if (part === 'any-folders') {
        if (!segment.startsWith('.')) reach(parts, index, next)
      } else if (part !== undefined && matchesSegment(part, segment)) reach(parts, index + 1, next)
    }
    if (next.size === 0) return false
    reached = next
  }
  return reached.has(parts.length)
}

/** Standing before `**` is also standing behind it. */
function reach(parts: readonly Part[], index: number, reached: Set<number>): void {
  reached.add(index)
  if (parts[index] === 'any-folders') reach(parts, index + 1, reached)
}

function invalidGlob(pattern: string, why: string): ToolError {
  return new ToolError(`The glob ${JSON.stringify(pattern)} cannot be used: ${why}.`, { code: 'INVALID_PATTERN' })
}
