import type { JsonValue } from '../contract/json.ts'
import type { ToolExecutionResult, ToolFailure } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { isJsonObject } from '../json/text.ts'
import { failure } from '../outcome/failures.ts'
import { failedResult, failedWith } from '../outcome/outcome.ts'
import { thrownText } from '../outcome/thrown.ts'
import { describeViolations } from '../schema/validate.ts'
import { acceptContent, acceptContexts } from './content.ts'
import type { CallableInvocation, Invocation } from './invocation.ts'

/** Make the canonical outcome of a value that a body or a policy gave: snapshot, validate, render, metadata. Never throws. */
export function produce(inv: CallableInvocation, raw: unknown): ToolExecutionResult {
  const { definition, compiled, exec, core } = inv
  const invalid = (detail: string) => failedWith('INVALID_TOOL_OUTPUT', exec.name, detail)
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
    const content = acceptContent(definition.output.render(exec.arguments, value), 'what render() returned')
    const meta = definition.output.presentationMeta?.(exec.arguments, value)
    return meta === undefined ? { isError: false, value, content } : { isError: false, value, content, meta: snapshotJson(meta) }
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
  keepContexts(inv, result.additionalContexts)
  if (result.isError) return failedResult(acceptFailure(inv, result.error), contentOf(result))
  if (!inv.callable()) throw new TypeError('It returned a success for a tool that does not exist.')
  if (previous?.isError !== false || previous.value !== result.value) return produce(inv, result.value)
  const content = contentOf(result) ?? previous.content
  const meta = result.meta === undefined ? undefined : { meta: snapshotJson(result.meta) }
  return { isError: false, value: previous.value, content, ...meta, ...(inv.attempts.concludesTurn && { concludesTurn: true }) }
}

/** Keep contexts that are not the body's own (those are kept with its attempt). */
function keepContexts(inv: Invocation, contexts: unknown): void {
  if (contexts === undefined) return
  if (!Array.isArray(contexts)) throw new TypeError('additionalContexts must be an array')
  const known = new Set<unknown>(inv.attempts.contexts)
  inv.attempts.addContexts(acceptContexts(contexts.filter((context) => !known.has(context))))
}

function contentOf(result: Partial<ToolExecutionResult>) {
  return result.content === undefined ? undefined : acceptContent(result.content, 'the content of the result')
}

/** Take a failure that a wrapper made. Every failed result has a code. @throws TypeError when it has no message. */
function acceptFailure(inv: Invocation, error: unknown): ToolFailure {
  const { message, info } = (error ?? {}) as Partial<ToolFailure>
  if (typeof message !== 'string') throw new TypeError('A failed result needs error.message.')
  if (info === undefined) return { message, info: failure('TOOL_FAILED', inv.exec.name).info as NonNullable<ToolFailure['info']> }
  const kept = snapshotJson(info)
  if (!isJsonObject(kept) || typeof kept['name'] !== 'string' || typeof kept['code'] !== 'string') {
    throw new TypeError('error.info needs a name and a code.')
  }
  return { message, info: kept as unknown as NonNullable<ToolFailure['info']> }
}
