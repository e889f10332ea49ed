import type { JsonValue } from '../contract/json.ts'
import type { ToolExecutionInput, ToolFailure } from '../contract/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { failure } from '../outcome/failures.ts'
import { thrownText } from '../outcome/thrown.ts'

/** The arguments as every stage sees them, lossless and deep-frozen, or why they cannot be. */
export function materialise(input: ToolExecutionInput): { readonly value: JsonValue; readonly refusal?: ToolFailure } {
  try {
    return { value: snapshotJson(input.arguments) }
  } catch (error) {
    return { value: null, refusal: failure('INVALID_ARGS', input.name, `They are not lossless JSON: ${thrownText(error)}.`) }
  }
}
