const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar of JSON excludes them from strings
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Where a text stops being JSON, and what would have to stand there. Engines say it in words of their own, if at all. */
export interface SyntaxProblem {
  readonly offset: number
  readonly expected: string
}

type State = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'after-value'

const EXPECTED: Readonly<Record<State, string>> = {
  value: 'a value',
  'first-item': 'a value or ]',
  'first-key': 'a property name in double quotes or }',
  key: 'a property name in double quotes',
  colon: 'a colon',
  'after-value': 'a comma or the end of the list or object',
}

/** Find the first place where a text breaks the grammar of JSON; undefined when it does not. Linear, any depth. */
export function findSyntaxProblem(text: string): SyntaxProblem | undefined {
  const open: ('[' | '{')[] = []
  let state: State = 'value'
  let offset = 0
  const scalarAt = (start: number): number | undefined => {
    SCALAR.lastIndex = start
    return SCALAR.test(text) ? SCALAR.lastIndex : undefined
  }
  for (;;) {
    SPACE.lastIndex = offset
    SPACE.test(text)
    offset = SPACE.lastIndex
    if (state === 'after-value' && open.length === 0)
      return offset === text.length ? undefined : { offset, expected: 'the end of the text' }
    const next = step(text[offset], state, open)
    if (next !== undefined) {
      state = next
      offset++
      continue
    }
    const isKey: boolean = state === 'key' || state === 'first-key'
    const end = state === 'colon' || state === 'after-value' || (isKey && text[offset] !== '"') ? undefined : scalarAt(offset)
    if (end === undefined) return { offset: furthest(text, offset), expected: EXPECTED[state] }
    state = isKey ? 'colon' : 'after-value'
    offset = end
  }
}

/** The state after a punctuation character that fits, with the open containers brought up to date. */
function step(char: string | undefined, state: State, open: ('[' | '{')[]): State | undefined {
  const expectsValue = state === 'value' || state === 'first-item'
  if (expectsValue && (char === '[' || char === '{')) {
    open.push(char)
    return char === '[' ? 'first-item' : 'first-key'
  }
  if (state === 'colon') return char === ':' ? 'value' : undefined
  const inside = open.at(-1)
  const closes = (char === ']' && inside === '[') || (char === '}' && inside === '{')
  if (closes && (state === 'after-value' || state === 'first-item' || state === 'first-key')) {
    open.pop()
    return 'after-value'
  }
  if (state !== 'after-value' || char !== ',') return undefined
  return inside === '{' ? 'key' : 'value'
}

/** A string that never ends is a problem at the end of the text, not where it began. */
function furthest(text: string, offset: number): number {
  if (text[offset] !== '"') return offset
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  const sound = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
  sound.lastIndex = offset
  sound.test(text)
  return sound.lastIndex
}
