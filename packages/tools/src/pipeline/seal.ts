import type { ContentBlock } from '../contract/content.ts'
import type { ToolExecutionResult } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { wellFormed } from '../json/text.ts'
import { thrownText } from '../outcome/thrown.ts'
import { invalidOutput } from './canonical.ts'
import { acceptContent } from './content.ts'
import type { Invocation } from './invocation.ts'
import { syncAnswer } from './sync-answer.ts'

/** Make an outcome final: contexts attached, everything lossless and well-formed, content finalised once, frozen. Never throws. */
export function seal(inv: Invocation, outcome: ToolExecutionResult): ToolExecutionResult {
  const whole = materialise(inv, outcome)
  const content = finalise(inv, whole)
  return Object.freeze(content === whole.content ? whole : { ...whole, content })
}

/** Everything but the value, which is a snapshot already, is checked, copied and frozen. */
function materialise(inv: Invocation, outcome: ToolExecutionResult): ToolExecutionResult {
  try {
    const { meta } = outcome
    const { contexts, concludesTurn } = inv.attempts
    const content = acceptContent(outcome.content, 'the content of the result')
    if (!outcome.isError && meta === undefined && contexts.length === 0 && !concludesTurn) {
      return { isError: false, value: outcome.value, content } // most calls: nothing to put together
    }
    const kept = {
      content,
      ...(meta !== undefined && { meta: snapshotJson(meta) }),
      ...(contexts.length > 0 && { additionalContexts: snapshotJson(contexts) as never }),
    }
    if (outcome.isError) return { isError: true, error: sealError(outcome.error), ...kept }
    return { isError: false, value: outcome.value, ...kept, ...(concludesTurn && { concludesTurn: true }) }
  } catch (error) {
    return invalidOutput(inv, `It could not be kept: ${thrownText(error)}.`)
  }
}

function sealError(error: Extract<ToolExecutionResult, { isError: true }>['error']) {
  const kept = snapshotJson(error) as unknown as typeof error
  return wellFormed(kept.message) === kept.message ? kept : Object.freeze({ ...kept, message: wellFormed(kept.message) })
}

function finalise(inv: Invocation, result: ToolExecutionResult): ContentBlock[] {
  if (inv.finalizeContent === undefined) return result.content
  const { exec, definition, core, scope } = inv
  try {
    const content = syncAnswer(inv.finalizeContent.call(definition, exec, Object.freeze(result)), 'it')
    return content === undefined ? result.content : acceptContent(content, 'what finalizeContent() returned')
  } catch (error) {
    const message = `finalizeContent() of ${exec.name} failed, so the content stays as it was: ${thrownText(error)}`
    core.report({ kind: 'finalize-content-failed', message, tool: exec.name, callId: exec.callId }, scope)
    return result.content
  }
}
