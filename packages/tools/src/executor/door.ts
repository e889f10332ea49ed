/** `@dsh/tools/executor`: what an executor is built from. */
export type { ExecutionOptions } from '../pipeline/invocation.ts'
export { ToolExecutionPipeline, waterfall } from '../pipeline/pipeline.ts'
export type { CallTurns } from '../pipeline/turns.ts'
export { createGate, type Gate } from '../scheduler/gate.ts'
export { runInOrder, type SchedulableCall } from '../scheduler/schedule.ts'
export { type ParsedCall, parseCall } from './parse.ts'
