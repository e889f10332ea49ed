import type { Host, JsonValue, Plugin, PreToolDecision, ToolExecution } from '@dsh/tools'
import { type ApprovalRule, type ApprovalRulesConfig, checkRules, type OtherwiseDecision } from './approval-rule.ts'
import { isGranted, offerGrant } from './grants.ts'
import { hashOf } from './hash.ts'
import { type RuleMatcher, ruleMatcher } from './rule-match.ts'

interface CompiledRule extends ApprovalRule {
  readonly digest: string
  readonly matches: RuleMatcher
}

/** What is decided on a call, by which rule, and why. */
interface Ruling {
  readonly decide: 'allow' | 'ask' | 'deny'
  readonly reason: string
  readonly digest: string
}

/**
 * Rules on what may run: each call is decided by the first that matches it. A denial is final; an approval to be asked for is asked for unless it was
 * granted for the session; a call that is allowed is still subject to every other policy.
 * @throws TypeError when it is mounted with rules that are none, naming each problem.
 */
export const approvalRules: Plugin<ApprovalRulesConfig> = {
  name: 'approval-rules',
  inject: ['tools'],
  async apply(host: Host, config: ApprovalRulesConfig): Promise<void> {
    checkRules(config)
    const { rules, otherwise = 'ask-unless-harmless', root } = config
    const compiled = await Promise.all(rules.map((rule) => compile(rule, root)))
    const otherwiseDigest = await hashOf({ otherwise })
    const rulingOf = (exec: ToolExecution): Ruling =>
      compiled.find(({ matches }) => matches(exec.name, exec.arguments)) ?? { ...fallback(otherwise, exec), digest: otherwiseDigest }
    // In front of all others: what allows a call without asking the next ones is not to get around the rules.
    host.on('tools/pre-execute', (exec, next) => (exec.definition === undefined ? next() : decide(exec, rulingOf(exec), next)), {
      prepend: true,
    })
  },
}

async function decide(exec: ToolExecution, ruling: Ruling, next: () => Promise<PreToolDecision>): Promise<PreToolDecision> {
  const { decide: decision, reason, digest } = ruling
  if (decision === 'deny') return { kind: 'deny', reason }
  const inner = await next()
  if (decision === 'allow' || inner.kind === 'deny' || inner.kind === 'cancel') return inner
  const grant = { tool: exec.name, rule: digest }
  if (isGranted(exec.agent, grant)) return inner
  offerGrant(exec, { ...grant, message: `every call of ${exec.name} that is asked about because: ${reason}` })
  if (inner.kind !== 'ask') return { kind: 'ask', reason }
  return { ...inner, reason: inner.reason === undefined ? reason : `${reason} ${inner.reason}` }
}

async function compile(rule: ApprovalRule, root: string | undefined): Promise<CompiledRule> {
  return { ...rule, digest: await hashOf({ rule: rule as unknown as JsonValue, root: root ?? null }), matches: ruleMatcher(rule, root) }
}

function fallback(otherwise: OtherwiseDecision, { name, definition }: ToolExecution): Omit<Ruling, 'digest'> {
  const { effects = 'unknown' } = definition ?? {}
  if (otherwise === 'ask-unless-harmless') {
    if (effects === 'none') return { decide: 'allow', reason: `${name} changes nothing.` }
    return { decide: 'ask', reason: effects === 'unknown' ? `Nothing says that ${name} changes nothing.` : `${name} changes something.` }
  }
  const reasons = {
    allow: 'It is allowed where no rule says otherwise.',
    ask: 'No rule says that it may run.',
    deny: 'No rule says that it may run.',
  }
  return { decide: otherwise, reason: reasons[otherwise] }
}
