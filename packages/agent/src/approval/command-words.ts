/** What a shell command does, as far as it can be told without running it. */
export interface ParsedCommand {
  /** The words of each simple command in it. */
  readonly commands: readonly (readonly string[])[]
  /** It does more than its words say: it redirects, substitutes, sets variables, or cannot be told at all. */
  readonly isUncertain: boolean
}

/** Read a command as a shell would, where that is plain; everything else makes it uncertain. What is allowed by its words has to be certain. */
export function parseCommand(text: string): ParsedCommand {
  const commands: string[][] = [[]]
  let word: string | undefined
  let quote: string | undefined
  let isUncertain = false
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word)
    word = undefined
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (quote === "'") {
      if (char === quote) quote = undefined
      else word += char
    } else if (char === '\\') {
      isUncertain ||= at + 1 >= text.length || text[at + 1] === '\n'
      word = (word ?? '') + (text[++at] ?? '')
    } else if (char === '$' || char === '`') {
      isUncertain = true
      word = (word ?? '') + char
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined
      else word += char
    } else if (char === "'" || char === '"') {
      quote = char
      word ??= ''
    } else if (char === ' ' || char === '\t') endWord()
    else if (';&|\n\r'.includes(char)) {
      endWord()
      commands.push([])
    } else {
      isUncertain ||= '(){}<>#!*?[]~'.includes(char)
      word = (word ?? '') + char
    }
  }
  endWord()
  const simple = commands.filter((words) => words.length > 0)
  return { commands: simple, isUncertain: isUncertain || quote !== undefined || simple.some(([first = '']) => first.includes('=')) }
}

/** Words before a command that only say how it is run. */
const WRAPPERS = new Set(
  'builtin command do doas else env exec if nice nohup setsid sh bash dash zsh stdbuf sudo then time timeout until while xargs'.split(' '),
)

/**
 * The simple commands that may be in a text, wherever they hide: behind operators, in substitutions and subshells, behind `sudo`, `env A=b` or
 * `sh -c`, with or without quotes. What is to be stopped is looked for here: a command too many does no harm.
 */
export function commandsWithin(text: string): readonly (readonly string[])[] {
  const bare = text.replace(/\\\r?\n/g, ' ').replace(/\$'/g, "'")
  const pieces = bare.split(/[;&|\n\r(){}`<>]/)
  // Quotes may also hide an operator: `sh -c "a; b"` is split above, and 'a; b' as one word is harmless.
  return pieces.flatMap((piece) => {
    const words = piece
      .replace(/["'\\]/g, '')
      .split(/[\s\p{Z}]+/u)
      .filter((word) => word !== '' && word !== '$' && word !== '!')
    const found: string[][] = []
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string
      found.push([baseOf(word), ...words.slice(at + 1)])
      const isValue = at > 0 && ((words[at - 1] as string).startsWith('-') || /^[\d.]+[smhd]?$/.test(word)) // of an option before it
      const isWrapper = WRAPPERS.has(baseOf(word)) || /^\w+=/.test(word) || word.startsWith('-') || isValue
      if (!isWrapper) break
    }
    return found
  })
}

function baseOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

/** Whether a command begins with these words. */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => words[index] === word)
}
