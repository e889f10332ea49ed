import { readString } from './json-string.ts'

const SPACE = /[ \t\n\r]*/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

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
    const takesValue = state === 'value' || state === 'first-item'
    if (text[offset] === '"' && (isKey || takesValue)) {
      const { end, sound } = readString(text, offset)
      if (!sound) return { offset: end, expected: EXPECTED[state] }
      offset = end
    } else {
      SCALAR.lastIndex = offset
      if (!takesValue || !SCALAR.test(text)) return { offset, expected: EXPECTED[state] }
      offset = SCALAR.lastIndex
    }
    state = isKey ? 'colon' : 'after-value'
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
