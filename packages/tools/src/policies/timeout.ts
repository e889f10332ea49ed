import type { Plugin } from '../contract/host.ts'
import type { Clock } from '../contract/ports.ts'
import type { ToolsService } from '../contract/service.ts'
import type { ToolDispatchExecution, ToolExecutionResult } from '../contract/tool.ts'
import { afterEffects } from '../outcome/after-effects.ts'
import { failedWith } from '../outcome/outcome.ts'
import { clockOf } from './clock.ts'

/** Deadlines where the tools set none. */
export interface TimeoutConfig {
  /** For tools without `timeoutMs`. Default: no deadline. */
  readonly defaultMs?: number
  /** Upper bound, also of what tools ask for. Default: none. */
  readonly maxMs?: number
  /** By the name of a tool. Goes before its own `timeoutMs`: who runs a system knows it better than who wrote the tool. */
  readonly tools?: Readonly<Record<string, number>>
}

/**
 * The deadline of a call: that of `tools`, else `timeoutMs` of its definition, else `defaultMs`; never more than `maxMs`. When it passes, the signal fires; the body is
 * still waited for, and whatever it gives then, the outcome is `TOOL_TIMEOUT`. A late value is told to `tools/diagnostic`.
 */
export const timeoutPolicy: Plugin<TimeoutConfig | void> = {
  name: 'tool-call-timeout-policy',
  inject: ['tools', 'clock'],
  apply(host, config) {
    const { tools: byName = {}, ...limits } = config ?? {}
    const named = Object.entries(byName).map(([name, ms]) => [`tools.${name}`, ms] as const)
    for (const [name, ms] of [...Object.entries(limits), ...named]) {
      if (!(typeof ms === 'number' && ms > 0))
        throw new TypeError(`The timeout policy needs ${name} to be a positive number of milliseconds.`)
    }
    const { tools } = host
    host.on('tools/execute', (exec, next) => {
      const asked = (Object.hasOwn(byName, exec.name) ? byName[exec.name] : exec.definition?.timeoutMs) ?? limits.defaultMs
      if (asked === undefined) return next()
      const clock = clockOf(host)
      const ms = Math.min(asked, limits.maxMs ?? asked)
      return withDeadline(exec, next, { ms, clock, tools })
    })
  },
}

interface Deadline {
  readonly ms: number
  readonly clock: Clock
  readonly tools: ToolsService
}

async function withDeadline(
  exec: ToolDispatchExecution,
  next: () => Promise<ToolExecutionResult>,
  { ms, clock, tools }: Deadline,
): Promise<ToolExecutionResult> {
  const outer = exec.signal
  const controller = new AbortController()
  let passed = false
  const cancelled = () => controller.abort(outer.reason)
  const disarm = clock.after(ms, () => {
    if (controller.signal.aborted) return // the caller was first
    passed = true
    controller.abort(new DOMException(`The deadline of ${ms} ms has passed.`, 'TimeoutError'))
  })
  if (outer.aborted) cancelled()
  else outer.addEventListener('abort', cancelled, { once: true })
  exec.signal = controller.signal
  try {
    const result = await next()
    if (!passed) return result
    if (!result.isError) reportLate(exec, ms, tools)
    return failedWith('TOOL_TIMEOUT', exec.name, `It has ${ms} ms. ${afterEffects(exec.definition?.effects)}`.trim())
  } finally {
    disarm()
    outer.removeEventListener('abort', cancelled)
    exec.signal = outer
  }
}

function reportLate(exec: ToolDispatchExecution, ms: number, tools: ToolsService): void {
  const message = `${exec.name} returned a value after its deadline of ${ms} ms; the value was dropped.`
  tools.report({ kind: 'late-value', message, tool: exec.name, callId: exec.callId }, exec.agent)
}
