import type { ToolAccess } from '../contract/tool.ts'
import { thrownText } from '../outcome/thrown.ts'
import { accessOf } from './access.ts'
import type { Invocation } from './invocation.ts'
import type { KeyTicket } from './key-locks.ts'

/** Ask for the keys that the tool of a call names. They are for `giveBack()` when wrappers and body have settled. */
export function takeKeys(inv: Invocation): KeyTicket | undefined {
  if (inv.definition?.access === undefined || inv.callerGone) return undefined
  const access = readAccess(inv)
  return access && inv.core.keys.take(access)
}

/** Wait for keys that were asked for. The caller's going ends the wait without them. @returns undefined when they are there. */
export function keysTaken(inv: Invocation, ticket: KeyTicket): Promise<void> | undefined {
  const waiting = ticket.wait()
  if (waiting === undefined) return undefined
  const watch = inv.core.signals.watch(inv.signals.caller, { fired: () => ticket.giveBack() })
  return waiting.then(() => watch.end())
}

/** A tool that cannot say what it uses runs alone in its batch, without keys, and the host learns why. */
function readAccess({ definition, core, exec, scope }: Invocation): ToolAccess | undefined {
  try {
    return definition && accessOf(definition, exec.arguments)
  } catch (error) {
    const message = `${exec.name}: what it reads and writes is unknown, and it runs without keys: ${thrownText(error)}`
    core.report({ kind: 'access-failed', message, tool: exec.name, callId: exec.callId }, scope)
    return undefined
  }
}
