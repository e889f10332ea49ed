import { ToolError } from '@dsh/tools'

interface CharacterClass {
  readonly negated: boolean
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

type Token = { readonly literal: string } | { readonly set: CharacterClass } | 'one' | 'many'

/** One compiled segment of a glob. */
export interface Segment {
  readonly tokens: readonly Token[]
  /** It begins with a dot of its own, so that it may fit hidden names. */
  readonly literalDot: boolean
}

/** @throws ToolError INVALID_PATTERN for a class without an end. */
export function parseSegment(text: string, pattern: string): Segment {
  const characters = Array.from(text)
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string
    if (character === '*') {
      if (tokens.at(-1) !== 'many') tokens.push('many')
    } else if (character === '?') tokens.push('one')
    else if (character === '[') {
      const end = classEnd(characters, at, pattern)
      tokens.push({ set: parseClass(characters.slice(at + 1, end)) })
      at = end
    } else if (character === '\\' && at + 1 < characters.length) tokens.push({ literal: characters[++at] as string })
    else tokens.push({ literal: character })
  }
  const first = tokens[0]
  return { tokens, literalDot: typeof first === 'object' && 'literal' in first && first.literal === '.' }
}

/** Whether a name fits. At most one way back is remembered, which is enough for `*` and keeps it linear. */
export function matchesSegment(segment: Segment, name: string): boolean {
  if (name.startsWith('.') && !segment.literalDot) return false
  const { tokens } = segment
  const characters = Array.from(name)
  let token = 0
  let back: { token: number; at: number } | undefined
  for (let at = 0; at < characters.length; ) {
    if (tokens[token] === 'many') back = { token: ++token, at }
    else if (fits(tokens[token], characters[at] as string)) {
      token++
      at++
    } else if (back === undefined) return false
    else {
      back.at++
      token = back.token
      at = back.at
    }
  }
  while (tokens[token] === 'many') token++
  return token === tokens.length
}

function fits(token: Token | undefined, character: string): boolean {
  if (token === undefined || token === 'many') return false
  if (token === 'one') return true
  if ('literal' in token) return token.literal === character
  const code = character.codePointAt(0) as number
  return token.set.ranges.some(([from, to]) => from <= code && code <= to) !== token.set.negated
}

/** Index of the bracket that ends a class. A bracket that comes first is one of its characters. */
function classEnd(characters: readonly string[], start: number, pattern: string): number {
  const first = isNegation(characters[start + 1]) ? start + 2 : start + 1
  const end = characters.indexOf(']', first + 1)
  if (end !== -1) return end
  throw new ToolError(`The glob ${JSON.stringify(pattern)} cannot be used: a "[" has no "]". Close it, or write "\\[" for the character.`, {
    code: 'INVALID_PATTERN',
  })
}

function parseClass(characters: readonly string[]): CharacterClass {
  const negated = isNegation(characters[0])
  const members = negated ? characters.slice(1) : characters
  const ranges: [number, number][] = []
  for (let at = 0; at < members.length; at++) {
    const from = (members[at] as string).codePointAt(0) as number
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([from, isRange ? ((members[at + 2] as string).codePointAt(0) as number) : from])
    if (isRange) at += 2
  }
  return { negated, ranges }
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^'
}
