import { posix } from 'node:path'
import type { JsonValue } from '@dsh/tools'
import picomatch from 'picomatch'
import type { ApprovalRule, RuleCondition } from './approval-rule.ts'
import { asProgram, commandsWithin, parseCommand, startsWith } from './command-words.ts'

/** Whether a rule matches a call of a tool with these arguments. */
export type RuleMatcher = (tool: string, args: unknown) => boolean

type ArgumentMatcher = (value: unknown) => boolean

/**
 * Make the matcher of a rule. One that allows matches only what is certain: every item of a list, every command of a line, and nothing that a shell
 * would still change. One that asks or denies matches what may be meant: any item, any command wherever it hides, letters of either case in paths.
 */
export function ruleMatcher({ tool, when = {}, decide }: ApprovalRule, root: string | undefined): RuleMatcher {
  const isTool = toolMatcher(tool)
  const isStrict = decide === 'allow'
  const conditions = Object.entries(when).map(([name, condition]) => [name, argumentMatcher(condition, { isStrict, root })] as const)
  return (name, args) => isTool(name) && conditions.every(([argument, matches]) => matches(ownValue(args, argument)))
}

interface MatchOptions {
  readonly isStrict: boolean
  readonly root: string | undefined
}

function toolMatcher(pattern: string): (name: string) => boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  const expression = new RegExp(`^${source}$`)
  return (name) => expression.test(name)
}

function argumentMatcher(condition: RuleCondition, options: MatchOptions): ArgumentMatcher {
  if ('equals' in condition) return (value) => value !== undefined && isEqual(value, condition.equals)
  const isCommand = 'command' in condition
  const matches = isCommand ? commandMatcher(listOf(condition.command), options) : pathMatcher(listOf(condition.path), options)
  return (value) => {
    if (typeof value === 'string') return matches(value)
    if (!Array.isArray(value) || value.length === 0) return false
    const isItem = (item: unknown) => typeof item === 'string' && matches(item)
    if (options.isStrict) return value.every(isItem)
    return value.some(isItem) || (isCommand && matches(value.join(' '))) // a list may be the words of one command
  }
}

function pathMatcher(globs: readonly string[], { isStrict, root }: MatchOptions): (path: string) => boolean {
  const flags = isStrict ? '' : 'is' // there are file systems that do not tell the letters apart, and names with line breaks
  const matchers = globs.map((glob) => {
    const matches = picomatch(glob, { dot: true, flags })
    const isAbsolute = glob.startsWith('/')
    return ({ absolute, relative }: Places) => {
      const place = isAbsolute ? absolute : relative
      return place !== undefined && (matches(place) || (place === ROOT && glob === '**'))
    }
  })
  return (path) => {
    const places = isStrict ? placesOf(path, root) : placesOf(path.toLowerCase(), root?.toLowerCase())
    return matchers.some((matches) => matches(places))
  }
}

/** The root itself, seen from there: a hidden file to a glob. */
const ROOT = '.'

interface Places {
  readonly absolute: string | undefined
  readonly relative: string | undefined
}

/** Where a path leads: seen from the file system, and from the root when it does not leave it. Links are not followed. */
function placesOf(path: string, root: string | undefined): Places {
  const absolute = path.startsWith('/') ? posix.resolve(path) : root === undefined ? undefined : posix.resolve(root, path)
  const relative =
    absolute !== undefined && root !== undefined ? posix.relative(root, absolute) : path.startsWith('/') ? '..' : posix.normalize(path)
  const isInside = relative !== '..' && !relative.startsWith('../')
  const trimmed = relative.length > 1 && relative.endsWith('/') ? relative.slice(0, -1) : relative
  return { absolute, relative: isInside ? trimmed || ROOT : undefined }
}

function commandMatcher(prefixes: readonly string[], { isStrict }: MatchOptions): (command: string) => boolean {
  const wanted = prefixes.map((prefix) => prefix.trim().split(/\s+/))
  if (!isStrict) {
    const programs = wanted.map(asProgram)
    const most = Math.max(...wanted.map(({ length }) => length))
    return (command) => commandsWithin(command, most).some((words) => programs.some((prefix) => startsWith(words, prefix)))
  }
  const isWanted = (words: readonly string[]) => wanted.some((prefix) => startsWith(words, prefix))
  return (command) => {
    const { commands, isUncertain } = parseCommand(command)
    return !isUncertain && commands.length > 0 && commands.every(isWanted)
  }
}

function ownValue(args: unknown, name: string): unknown {
  return typeof args === 'object' && args !== null && Object.hasOwn(args, name)
    ? (args as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function listOf(texts: string | readonly string[]): readonly string[] {
  return typeof texts === 'string' ? [texts] : texts
}

function isEqual(a: unknown, b: JsonValue): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  const other = b as Readonly<Record<string, JsonValue>>
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Readonly<Record<string, unknown>>)[key], other[key] as JsonValue))
  )
}
