import type { UserMessage } from '../contract/content.ts'
import type { Plugin } from '../contract/host.ts'
import type { JsonValue } from '../contract/json.ts'
import type { Agent, ToolExecution } from '../contract/tool.ts'
import { callDigest } from './call-digest.ts'

/** From which repetition on an agent is reminded and refused. */
export interface RepeatGuardConfig {
  /** Repetitions at which the agent is reminded; 3 and 5. */
  readonly remindAt?: readonly number[]
  /** From this one on the call is refused; 8. */
  readonly refuseAt?: number
  /** Tools that are called to wait: repeating them is their use. Default `job_output` and `job_list`. */
  readonly exempt?: readonly string[]
}

const NAME = 'tool-call-repeat-guard'
const MAX_DIGESTS = 100

/**
 * Stop an agent that goes round in circles. Counted is the same tool with the same arguments, by the same agent, since it last made another
 * call that may have changed something (effects other than `'none'`): after an edit, running the tests again is no repetition. The agent
 * is reminded with a context beside the result, then the call is refused with `REPEATED_CALL`. Not counted are the calls of programs, which may loop,
 * and calls without an agent. It remembers the last 100 different calls of an agent.
 */
export const repeatGuard: Plugin<RepeatGuardConfig | void> = {
  name: NAME,
  apply(host, config) {
    const { remindAt = [3, 5], refuseAt = 8, exempt = ['job_output', 'job_list'] } = config ?? {}
    for (const count of [...remindAt, refuseAt]) {
      if (!Number.isSafeInteger(count) || count < 2)
        throw new TypeError('The repeat guard needs remindAt and refuseAt to be whole numbers from 2 on.')
    }
    const agents = new WeakMap<Agent, RepeatCounts>()
    const reminders = new WeakMap<ToolExecution, UserMessage>()
    host.on('tools/pre-execute', async (exec, next) => {
      const { agent, name } = exec
      if (agent === undefined || exec.parent !== undefined || exempt.includes(name)) return next()
      const counts = agents.get(agent) ?? new RepeatCounts()
      agents.set(agent, counts)
      const count = counts.add(callDigest(name, exec.arguments as JsonValue), exec.definition?.effects !== 'none')
      if (count >= refuseAt) return refusal(count)
      if (remindAt.includes(count)) reminders.set(exec, reminder(name, count, refuseAt))
      return next()
    })
    host.on('tools/post-execute', async (exec, _result, next) => {
      const decision = await next()
      const message = reminders.get(exec)
      return message === undefined ? decision : { ...decision, additionalContexts: [...(decision.additionalContexts ?? []), message] }
    })
  },
}

/** How often each of an agent's last calls was made. */
class RepeatCounts {
  /** The latest last. */
  readonly #counts = new Map<string, number>()

  /** @param changes - whether the call may change something, so that others may have other results after it. */
  add(digest: string, changes: boolean): number {
    const count = (this.#counts.get(digest) ?? 0) + 1
    if (changes) this.#counts.clear()
    else this.#counts.delete(digest)
    this.#counts.set(digest, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_DIGESTS && oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}

function refusal(count: number) {
  const reason = `this is the same call with the same arguments for the ${ordinal(count)} time, and nothing was changed in between. Use the results you have, send other arguments, take another way, or tell the person what keeps you.`
  return { kind: 'deny' as const, reason, info: { name: 'RepeatedCallError', code: 'REPEATED_CALL' } }
}

function reminder(tool: string, count: number, refuseAt: number): UserMessage {
  const text = `You have called ${tool} with the same arguments ${count} times, and changed nothing in between. Use the results you have, or try something else: the ${ordinal(refuseAt)} such call is refused.`
  return { source: { kind: 'plugin', name: NAME }, content: [{ type: 'text', text }] }
}

function ordinal(count: number): string {
  const last = count % 100 > 10 && count % 100 < 14 ? 0 : count % 10
  return `${count}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`
}
