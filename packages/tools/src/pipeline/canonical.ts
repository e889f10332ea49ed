import type { JsonValue } from '../contract/json.ts'
import type { ToolExecutionFailure, ToolExecutionResult, ToolFailure } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { afterEffects } from '../outcome/after-effects.ts'
import { failure } from '../outcome/failures.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import { describeViolations } from '../schema/validate.ts'
import { acceptContent } from './content.ts'
import type { CallableInvocation, Invocation } from './invocation.ts'
import { syncAnswer } from './sync-answer.ts'

/** Make the canonical outcome of a value that a body or a policy gave: snapshot, validate, render, metadata. Never throws. */
export function produce(inv: CallableInvocation, raw: unknown): ToolExecutionResult {
  const { definition, compiled, exec, core } = inv
  const invalid = (detail: string) => invalidOutput(inv, detail)
  let value: JsonValue
  try {
    value = snapshotJson(raw, {
      omitUndefined: definition.output.undefinedProperties === 'omit',
      maxBytes: core.limits.maxValueBytes,
    })
  } catch (error) {
    return invalid(`${thrownText(error)}.`)
  }
  if (!compiled.output.accepts(value)) return invalid(describeViolations(compiled.output.violations(value)))
  try {
    const content = acceptContent(syncAnswer(definition.output.render(exec.arguments, value), 'render()'), 'what render() returned')
    const meta = syncAnswer(definition.output.presentationMeta?.(exec.arguments, value), 'presentationMeta()')
    return Object.freeze({ isError: false, value, content, ...(meta !== undefined && { meta: snapshotJson(meta) }) })
  } catch (error) {
    return invalid(`It could not be rendered: ${thrownText(error)}.`)
  }
}

/**
 * Normalise what a wrapper made of a result. A success keeps its content only with the value it was rendered from; any other
 * value is validated and rendered as if the body had returned it. Contexts a wrapper adds are kept beside the body's.
 * @throws TypeError when it is no result at all.
 */
export function normalise(inv: Invocation, made: unknown, previous: ToolExecutionResult | undefined): ToolExecutionResult {
  if (made === previous && previous !== undefined) return previous
  const result = made as Partial<ToolExecutionResult> | null | undefined
  if (typeof result !== 'object' || result === null || typeof result.isError !== 'boolean') {
    throw new TypeError('It must return the result of next(), or a result of its own: { isError, ... }.')
  }
  inv.attempts.addContexts(result.additionalContexts)
  const meta = result.meta === undefined ? undefined : { meta: snapshotJson(result.meta) }
  if (result.isError) return Object.freeze({ ...failedResult(acceptFailure(inv, result.error, previous), contentOf(result)), ...meta })
  if (!inv.callable()) throw new TypeError('It returned a success for a tool that does not exist.')
  if (previous?.isError !== false || previous.value !== result.value) return produce(inv, result.value)
  const content = contentOf(result) ?? previous.content
  return Object.freeze({
    isError: false,
    value: previous.value,
    content,
    ...meta,
    ...(inv.attempts.concludesTurn && { concludesTurn: true as const }),
  })
}

function contentOf(result: Partial<ToolExecutionResult>) {
  return result.content === undefined ? undefined : acceptContent(result.content, 'the content of the result')
}

/**
 * Take a failure that a wrapper made. Every failed result has a code, and only a body's own failure is retryable.
 * @throws TypeError when it has no message, or an identity that is none.
 */
function acceptFailure(inv: Invocation, error: unknown, previous: ToolExecutionResult | undefined): ToolFailure {
  if (error !== undefined && error === previous?.error) return previous.error as ToolFailure
  const { message, info } = (error ?? {}) as Partial<ToolFailure>
  if (typeof message !== 'string') throw new TypeError('A failed result needs error.message.')
  if (info === undefined) return { ...failure('TOOL_FAILED', inv.exec.name), message }
  const { name, code, reason } = info
  if (typeof name !== 'string' || typeof code !== 'string' || code === '') throw new TypeError('error.info needs a name and a code.')
  return { message, info: { name, code, ...(typeof reason === 'string' && { reason }) } }
}

/** The outcome of a result that cannot be used. Says that the body ran only when it did. */
export function invalidOutput(inv: Invocation, detail: string): ToolExecutionFailure {
  const ran = inv.attempts.started ? `It ran, and repeating it will not help. ${afterEffects(inv.definition?.effects)}` : ''
  return failedWith('INVALID_TOOL_OUTPUT', inv.exec.name, `${detail} ${ran}`.trim())
}
