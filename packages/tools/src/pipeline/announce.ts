import type { ToolExecutionResult } from '../contract/tool.ts'
import { emit } from '../scope/waterfall.ts'
import type { Invocation } from './invocation.ts'

/** Tell the observers. They cannot change anything, and nothing of theirs is waited for. */
export function announce(inv: Invocation, result: ToolExecutionResult): ToolExecutionResult {
  const observers = inv.listeners.of('tools/result')
  if (observers.length > 0) void emit(observers, inv.core.toolsOf(inv.scope), [inv.exec, result], inv.core.observerFailed)
  return result
}
