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
