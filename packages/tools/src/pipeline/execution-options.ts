import type { ToolDefinition, ToolExecution, ToolFailure } from '../contract/tool.ts'

/** How a batch orders the stages of one of its calls. Every method is called at most once, in this order. */
export interface CallTurns {
  /** The policy stages have ended: the policy of the next call may begin. */
  policyEnded(): void
  /** Wait for a slot to run the body in. */
  takeSlot(): Promise<void> | undefined
  /** The body and its wrappers have settled: the slot is free. */
  freeSlot(): void
  /** Wait until every earlier call has been committed. */
  commitTurn(): Promise<void> | undefined
}

/** What an executor may say about a call beside its input. */
export interface ExecutionOptions {
  /** Run this definition instead of looking one up: a transport such as `run_code`, which is never registered. */
  readonly definition?: ToolDefinition
  /** Refuse the call before any policy: arguments that could not be parsed, a tool that cannot be called this way. */
  readonly refusal?: ToolFailure | undefined
  /** How the batch orders this call among its siblings. Absent: it waits for nobody. */
  readonly turns?: CallTurns | undefined
  /**
   * Awaited before each attempt at the body, in its slot: recording it, say. Never rejects; a failure is the outcome of the attempt,
   * whose body does not begin.
   * @param attempt - from 1 on.
   */
  beforeBody?(exec: Readonly<ToolExecution>, attempt: number): Promise<ToolFailure | undefined> | undefined
  /** Told when the body begins, before anything of it runs. */
  onBodyStart?(): void
}
