/** What a stage does for an outcome: it runs, it does not, it runs as far as the call came, or its failure is the outcome. */
export type StageUse = 'yes' | 'no' | 'as-far' | 'failed' | 'guards-only' | 'around-failure'

/** One row: what may happen to a call, and which stages it meets then. */
export interface StageRow {
  readonly outcome: string
  readonly code: string | null
  readonly preExecute: StageUse
  readonly approvalAndGuards: StageUse
  readonly execute: StageUse
  /** `projectContent` and post-execute. */
  readonly review: StageUse
  /** `finalizeContent` and `tools/result`: exactly once, whatever happened. */
  readonly final: 'yes'
}

const row = (
  outcome: string,
  code: string | null,
  [preExecute, approvalAndGuards, execute, review]: readonly [StageUse, StageUse, StageUse, StageUse],
): StageRow => ({ outcome, code, preExecute, approvalAndGuards, execute, review, final: 'yes' })

/** Which stages run for which outcome. The pipeline's tests walk this table row by row. */
export const STAGES: readonly StageRow[] = [
  row('arguments that cannot be parsed or materialised', 'INVALID_ARGS', ['no', 'no', 'no', 'no']),
  row('caller already gone at entry', 'ABORTED_BEFORE_DISPATCH', ['no', 'no', 'no', 'no']),
  row('model-direct call of a tool under the code mode', 'UNKNOWN_TOOL', ['no', 'no', 'no', 'no']),
  row('cancelled by pre-execute', 'ABORTED_BEFORE_DISPATCH', ['yes', 'as-far', 'no', 'yes']),
  row('caller gone during pre-execute', 'ABORTED_BEFORE_DISPATCH', ['yes', 'as-far', 'no', 'yes']),
  row('caller gone during approval', 'ABORTED_BEFORE_DISPATCH', ['yes', 'as-far', 'no', 'yes']),
  row('caller gone during guards', 'ABORTED_BEFORE_DISPATCH', ['yes', 'as-far', 'no', 'yes']),
  row('pre-execute listener failed', 'POLICY_FAILED', ['failed', 'no', 'no', 'no']),
  row('denied by pre-execute', 'DENIED', ['yes', 'as-far', 'no', 'yes']),
  row('denied by approval', 'APPROVAL_REJECTED', ['yes', 'as-far', 'no', 'yes']),
  row('nobody can approve', 'APPROVAL_UNAVAILABLE', ['yes', 'as-far', 'no', 'yes']),
  row('denied by a guard', 'GUARD_DENIED', ['yes', 'as-far', 'no', 'yes']),
  row('guard failed', 'POLICY_FAILED', ['yes', 'failed', 'no', 'no']),
  row('arguments break the schema', 'INVALID_ARGS', ['yes', 'no', 'no', 'yes']),
  row('unknown or inadmissible tool', 'UNKNOWN_TOOL', ['yes', 'guards-only', 'around-failure', 'yes']),
  row('caller gone after the body began', 'ABORTED', ['yes', 'yes', 'yes', 'yes']),
  row('wrapper failed', 'TOOL_FAILED', ['yes', 'yes', 'yes', 'yes']),
  row('timeout', 'TOOL_TIMEOUT', ['yes', 'yes', 'yes', 'yes']),
  row('body failed', 'TOOL_FAILED', ['yes', 'yes', 'yes', 'yes']),
  row('output invalid', 'INVALID_TOOL_OUTPUT', ['yes', 'yes', 'yes', 'yes']),
  row('success', null, ['yes', 'yes', 'yes', 'yes']),
  row('post-execute listener failed', 'POLICY_FAILED', ['yes', 'yes', 'yes', 'failed']),
]
