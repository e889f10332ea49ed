import type { ToolExecutionResult } from '../contract/tool.ts'
import { failure } from '../outcome/failures.ts'
import { suggestion } from '../outcome/not-found.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import { nearest } from '../registry/nearest.ts'
import { viewOf } from '../registry/view.ts'
import { type ListenerError, runWaterfall } from '../scope/waterfall.ts'
import { runBody } from './body.ts'
import { normalise } from './canonical.ts'
import type { Invocation } from './invocation.ts'

/** The execute stage: wrappers around the body, or around the failure of a tool that does not exist. Never rejects. */
export async function dispatch(inv: Invocation): Promise<ToolExecutionResult> {
  const { exec, turns } = inv
  if (!inv.callable()) return around(inv, async () => unknownTool(inv))
  const wait = turns?.takeSlot()
  if (wait) await wait
  try {
    if (inv.callerGone) return failedWith('ABORTED_BEFORE_DISPATCH', exec.name)
    return await around(inv, () => runBody(inv))
  } finally {
    turns?.freeSlot()
  }
}

async function around(inv: Invocation, body: () => Promise<ToolExecutionResult>): Promise<ToolExecutionResult> {
  const wrappers = inv.listeners.of('tools/execute')
  if (wrappers.length === 0) return body()
  let previous: ToolExecutionResult | undefined
  const keep = (result: ToolExecutionResult) => {
    previous = result
    return result
  }
  inv.dispatching = true
  try {
    return await runWaterfall(wrappers, inv.core.toolsOf(inv.scope), [inv.exec], async () => keep(await body()), {
      repeatable: true,
      accept: (made) => keep(normalise(inv, made, previous)),
      recover: (error) => keep(wrapperFailed(inv, error)),
    })
  } finally {
    inv.dispatching = false
    inv.signals.restore()
  }
}

function wrapperFailed(inv: Invocation, error: ListenerError): ToolExecutionResult {
  return failedResult(failure('TOOL_FAILED', inv.exec.name, thrownText(error)))
}

function unknownTool({ exec, scope }: Invocation): ToolExecutionResult {
  const names = exec.toolSet ? exec.toolSet.view(exec.agent).keys() : viewOf(scope).byName.keys()
  return failedWith('UNKNOWN_TOOL', exec.name, suggestion(nearest(exec.name, names)))
}
