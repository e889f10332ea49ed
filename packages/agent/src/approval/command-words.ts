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
      const next = text[++at] ?? '\n'
      isUncertain ||= next === '\n' || (quote !== undefined && !'$`"\\'.includes(next)) // which keeps the backslash
      word = (word ?? '') + next
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

/** Words before a command that do not say what it is. */
const KEYWORDS = new Set('! $ coproc do elif else exec if then time until while'.split(' '))

/** Programs that run what their arguments name, somewhere among their own. */
const WRAPPERS = new Set(
  'bash builtin busybox chroot command dash doas env eval exec fish flock ionice ksh nice nohup parallel script setsid sh ssh stdbuf strace su sudo time timeout unbuffer watch xargs zsh'.split(
    ' ',
  ),
)

const REDIRECTION = /\d{0,4}(?:&>>?|>[>&|]?|<{1,3}[&>]?)\s*[^\s;&|()<>`]+/g
const QUOTED_ASSIGNMENT = /(\w\+?=)(?:"[^"]*"|'[^']*')/g

/**
 * The simple commands that may be in a text, wherever they hide: behind operators, in substitutions and subshells, behind `sudo`, `env A=b`,
 * `sh -c`, redirections or assignments, with or without quotes. What is to be stopped is looked for here: a command too many does no harm. What a
 * shell works out as it runs (variables, encoded text, other spellings of an option) is not seen: this is a belt, not a sandbox.
 * @param most - how many words of each are wanted.
 */
export function commandsWithin(text: string, most: number): readonly (readonly string[])[] {
  const bare = text.replace(/\\\r?\n/g, '').replace(/\$(["'])/g, '$1')
  // Both, because what is left out of the second may itself hold a command: A="$(git push)".
  const readings = new Set([bare, bare.replace(QUOTED_ASSIGNMENT, '$1').replace(REDIRECTION, ' ')])
  return [...readings].flatMap((reading) => reading.split(/[;&|\n\r(){}`<>]/)).flatMap((piece) => commandsOf(piece, most))
}

/** The commands that a text without operators may run. */
function commandsOf(piece: string, most: number): readonly (readonly string[])[] {
  const words = piece
    .replace(/["'\\]/g, '')
    .split(/[\s\p{Z}]+/u)
    .filter((word) => word !== '')
  const first = words.findIndex((word) => !KEYWORDS.has(word) && !/^\w+(?:\[[^\]]*\])?\+?=/.test(word))
  if (first < 0) return []
  const isWrapped = words.slice(0, first + 1).some((word) => WRAPPERS.has(programOf(word)))
  return words.flatMap((_, at) => {
    const mayBegin = at === first || (at > first && (isWrapped || /^-(?:exec|ok)(?:dir)?$/.test(words[at - 1] as string)))
    return mayBegin ? [asProgram(words.slice(at, at + most))] : []
  })
}

/** The words of a command whose program is named without its folder, in small letters: there are file systems that do not tell them apart. */
export function asProgram([program = '', ...words]: readonly string[]): readonly string[] {
  return [programOf(program), ...words]
}

function programOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).toLowerCase()
}

/** Whether a command begins with these words. */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => words[index] === word)
}
