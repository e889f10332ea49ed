import type { ToolErrorInfo, ToolExecutionResult } from '../contract/tool.ts'
import { suggestion } from '../outcome/not-found.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import { thrownFailure } from '../outcome/thrown.ts'
import { nearest } from '../registry/nearest.ts'
import { viewOf } from '../registry/view.ts'
import { type ListenerError, runWaterfall } from '../scope/waterfall.ts'
import { runBody } from './body.ts'
import { normalise } from './canonical.ts'
import type { Invocation } from './invocation.ts'

/** The execute stage: wrappers around the body, or around the failure of a tool that does not exist. */
export function dispatch(inv: Invocation): ToolExecutionResult | Promise<ToolExecutionResult> {
  if (!inv.callable()) return around(inv, async () => unknownTool(inv))
  if (inv.callerGone) return failedWith('ABORTED_BEFORE_DISPATCH', inv.exec.name)
  return around(inv, () => runBody(inv))
}

function around(inv: Invocation, body: () => Promise<ToolExecutionResult>): Promise<ToolExecutionResult> {
  return inv.listeners.of('tools/execute').length === 0 ? body() : wrap(inv, body)
}

function wrap(inv: Invocation, body: () => Promise<ToolExecutionResult>): Promise<ToolExecutionResult> {
  const wrappers = inv.listeners.of('tools/execute')
  let previous: ToolExecutionResult | undefined
  const keep = (result: ToolExecutionResult) => {
    previous = result
    return result
  }
  inv.dispatching = true
  return runWaterfall(wrappers, inv.core.toolsOf(inv.scope), [inv.exec], () => body().then(keep), {
    repeatable: true,
    onRepeat: () => inv.attempts.abandon(),
    accept: (made) => keep(normalise(inv, made, previous)),
    recover: (error) => keep(wrapperFailed(inv, error)),
  })
}

/** A wrapper that threw: as a body that threw the same, but never retryable. Without a code of its own, its label is what is known. */
function wrapperFailed(inv: Invocation, { cause, label }: ListenerError): ToolExecutionResult {
  const { message, info } = thrownFailure(cause, inv.exec.name)
  const { retryable: _never, ...identity } = info as ToolErrorInfo
  if (identity.code !== 'TOOL_FAILED') return failedResult({ message, info: identity })
  return failedResult({ message: `The listener ${JSON.stringify(label)} failed: ${message}`, info: identity })
}

/** Says what can be done: names that are callable, or that this one is not, in this step. */
function unknownTool({ exec, scope }: Invocation): ToolExecutionResult {
  const { name, toolSet, agent } = exec
  const { byName } = viewOf(scope)
  const callable = toolSet ? [...toolSet.view(agent).keys()] : [...byName].flatMap(([key, { when }]) => (when === undefined ? [key] : []))
  if (byName.has(name)) return failedWith('UNKNOWN_TOOL', name, 'It exists and is not offered in this step.')
  return failedWith('UNKNOWN_TOOL', name, suggestion(nearest(name, callable)))
}
