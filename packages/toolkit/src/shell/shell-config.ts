import { assertNoProblems, isRecord, limitProblems, rootProblems, unknownKeys } from '../config-problems.ts'

/** Within which bounds commands run. Whole numbers from 1 on. */
export interface ShellToolsLimits {
  /** Milliseconds a command has when the call names none; 120,000. */
  readonly commandMs?: number
  /** Milliseconds a call may ask for; 600,000. */
  readonly maxCommandMs?: number
  /** Bytes kept of each of the two streams, half from its head, half from its tail; 64,000. */
  readonly streamBytes?: number
  /** Milliseconds from TERM to KILL; 3,000. */
  readonly killGraceMs?: number
}

/** The environment of commands. */
export interface ShellEnv {
  /** Names of this process's variables that commands get; a `*` at the end stands for any rest. No other variable reaches them. */
  readonly pass?: readonly string[]
  /** More variables, which win. */
  readonly set?: Readonly<Record<string, string>>
}

/** Where commands run, with which environment, within which bounds. */
export interface ShellToolsConfig {
  /** Absolute folder: commands start in it or below it. They are not confined to it. */
  readonly root: string
  readonly env?: ShellEnv
  readonly limits?: ShellToolsLimits
}

/** A configuration that has been checked. */
export interface CheckedShellConfig {
  readonly root: string
  /** What every command gets. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: Required<ShellToolsLimits>
}

const DEFAULTS: Required<ShellToolsLimits> = { commandMs: 120_000, maxCommandMs: 600_000, streamBytes: 64_000, killGraceMs: 3_000 }
const PASS = ['PATH', 'HOME', 'LANG', 'LC_*', 'TMPDIR', 'USER', 'SHELL', 'TZ']
/** Where this process has no PATH, or does not pass it: a shell would take one of its own, which may hold the folder it runs in. */
const FALLBACK_PATH = '/usr/local/bin:/usr/bin:/bin'
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Check a configuration that may come from anywhere. @throws TypeError that lists every problem at once. */
export function checkShellConfig(config: ShellToolsConfig): CheckedShellConfig {
  const given: unknown = config
  const problems = isRecord(given)
    ? [
        ...unknownKeys(given, ['root', 'env', 'limits'], ''),
        ...rootProblems(given['root']),
        ...envProblems(given['env']),
        ...limitProblems(given['limits'], DEFAULTS),
      ]
    : ['it must be an object: { root: "/absolute/folder" }']
  assertNoProblems('The shell tools', problems)
  return {
    root: config.root,
    env: { PATH: FALLBACK_PATH, ...passed(config.env?.pass ?? PASS), TERM: 'dumb', ...config.env?.set },
    limits: { ...DEFAULTS, ...config.limits },
  }
}

/** Whether a shell can have a variable of that name. */
export function isVariableName(name: string): boolean {
  return NAME.test(name)
}

function passed(patterns: readonly string[]): Record<string, string> {
  const fits = (name: string) => patterns.some((it) => (it.endsWith('*') ? name.startsWith(it.slice(0, -1)) : name === it))
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => fits(entry[0])))
}

function* envProblems(env: unknown): Generator<string> {
  if (env === undefined) return
  if (!isRecord(env)) {
    yield 'env must be an object'
    return
  }
  yield* unknownKeys(env, ['pass', 'set'], 'env.')
  const { pass = [], set = {} } = env
  const isPass = Array.isArray(pass) && pass.every((name) => typeof name === 'string' && isVariableName(name.replace(/(?<=.)\*$/, '')))
  if (!isPass) yield 'env.pass must be a list of names of variables, each with a * at its end or without'
  const isSet = isRecord(set) && Object.entries(set).every(([name, value]) => isVariableName(name) && isValue(value))
  if (!isSet) yield 'env.set must be an object of variables, whose values are strings without NUL characters'
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0')
}
