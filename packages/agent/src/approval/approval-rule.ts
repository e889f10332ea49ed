import type { JsonValue } from '@dsh/tools'

/** What an argument has to be for a rule to match. */
export type RuleCondition =
  /** A path, matched by a glob: one that begins with `/` against the whole path, others against the path below the root. */
  | { readonly path: string | readonly string[] }
  /** A shell command that begins with these words. */
  | { readonly command: string | readonly string[] }
  | { readonly equals: JsonValue }

/** One rule: the first that matches a call, from the top, decides. */
export interface ApprovalRule {
  /** The name of a tool; `*` stands for any part of it. */
  readonly tool: string
  /** By the name of the argument. All have to hold. */
  readonly when?: Readonly<Record<string, RuleCondition>>
  readonly decide: 'allow' | 'ask' | 'deny'
  /** The model reads it with a denial, a person with a question. */
  readonly reason: string
}

/** What is decided where no rule matches; `ask-unless-harmless` asks about every tool that does not declare `effects: 'none'`. */
export type OtherwiseDecision = ApprovalRule['decide'] | 'ask-unless-harmless'

/** Configuration of {@link approvalRules}. */
export interface ApprovalRulesConfig {
  readonly rules: readonly ApprovalRule[]
  /** Default `ask-unless-harmless`. */
  readonly otherwise?: OtherwiseDecision
  /** The folder that paths and path globs are seen from. POSIX. */
  readonly root?: string
}

const DECISIONS = ['allow', 'ask', 'deny']

/** @throws TypeError naming every problem, by the number of its rule and its field. */
export function checkRules(config: ApprovalRulesConfig): void {
  if (!isRecord(config) || !Array.isArray(config['rules'])) throw new TypeError('approval-rules: rules must be a list.')
  const { rules, otherwise = 'ask-unless-harmless', root, ...more } = config
  const problems = Object.keys(more).map((field) => `${field} is no field of the configuration`)
  if (![...DECISIONS, 'ask-unless-harmless'].includes(otherwise)) problems.push(`otherwise cannot be ${JSON.stringify(otherwise)}`)
  if (root !== undefined && !(typeof root === 'string' && root.startsWith('/'))) problems.push('root must be an absolute path')
  const covered = new Map<string, number>()
  for (const [index, rule] of (rules as readonly unknown[]).entries()) {
    const at = `rules[${index}]`
    if (!isRecord(rule)) problems.push(`${at} is no rule`)
    else problems.push(...problemsOf(rule, at), ...shadowed(rule, at, covered))
    if (isRecord(rule) && typeof rule['tool'] === 'string' && rule['when'] === undefined && !covered.has(rule['tool']))
      covered.set(rule['tool'], index)
  }
  if (problems.length > 0) throw new TypeError(`approval-rules: ${problems.join('; ')}.`)
}

function problemsOf(rule: Readonly<Record<string, unknown>>, at: string): string[] {
  const { tool, when, decide, reason, ...more } = rule
  const problems = Object.keys(more).map((field) => `${at}.${field} is no field of a rule`)
  if (!isText(tool)) problems.push(`${at}.tool must be the name of a tool, or a pattern with *`)
  if (!DECISIONS.includes(decide as string)) problems.push(`${at}.decide must be "allow", "ask" or "deny"`)
  if (!isText(reason)) problems.push(`${at}.reason must say why`)
  if (when === undefined) return problems
  if (!isRecord(when) || Object.keys(when).length === 0) return [...problems, `${at}.when must name an argument`]
  return [...problems, ...Object.entries(when).flatMap(([name, condition]) => problemsOfCondition(condition, `${at}.when.${name}`))]
}

function problemsOfCondition(condition: unknown, at: string): string[] {
  const [kind, ...more] = isRecord(condition) ? Object.keys(condition) : []
  if (kind === undefined || more.length > 0 || !['path', 'command', 'equals'].includes(kind)) {
    return [`${at} must be { path }, { command } or { equals }`]
  }
  if (kind === 'equals') return []
  const value = (condition as Readonly<Record<string, unknown>>)[kind]
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (texts.length === 0 || !texts.every(isText)) return [`${at}.${kind} must be a text, or a list of texts`]
  const problemOf = kind === 'path' ? problemOfGlob : problemOfPrefix
  return texts.flatMap((text) => {
    const problem = problemOf(text)
    return problem === undefined ? [] : [`${at}.${kind}: ${JSON.stringify(text)} ${problem}`]
  })
}

/** Globs that would match nothing, or not what they seem to: in a rule that denies, nobody would notice. */
function problemOfGlob(glob: string): string | undefined {
  if (glob === '.') return undefined // the root itself
  if (glob.startsWith('!')) return 'begins with "!": write what is meant, and a rule above it for what is not'
  if (glob.endsWith('/')) return 'ends with "/" and matches no path: "**" behind it means all that is below'
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(glob.replace(/^\.\//, '')) || glob.includes('//'))
    return 'matches no path: write it without "." and "..", from "/" on when it is not below the root'
  if (/^[@+*?]?[({](?:.*[,|])?\//.test(glob)) return 'has its first "/" within brackets: write a list of globs'
  return undefined
}

function problemOfPrefix(prefix: string): string | undefined {
  return /[;&|<>$`()"'\\*?\n\r]/.test(prefix)
    ? 'is more than the plain words that a command begins with: whatever follows them is matched without a sign for it'
    : undefined
}

/** A rule below one that takes every call of its tool never decides anything: a person who wrote it believes otherwise. */
function shadowed({ tool }: Readonly<Record<string, unknown>>, at: string, covered: ReadonlyMap<string, number>): string[] {
  const above = typeof tool === 'string' ? (covered.get(tool) ?? covered.get('*')) : undefined
  return above === undefined ? [] : [`${at} never matches: rules[${above}] takes every call of ${JSON.stringify(tool)} before it`]
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
