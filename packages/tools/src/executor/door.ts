/** `@dsh/tools/executor`: what an executor is built from. */
export type { CallTurns, ExecutionOptions } from '../pipeline/execution-options.ts'
export { ToolExecutionPipeline, waterfall } from '../pipeline/pipeline.ts'
export { createGate, type Gate } from '../scheduler/gate.ts'
export { runInOrder, type SchedulableCall } from '../scheduler/schedule.ts'
export { type ParsedCall, parseCall } from './parse.ts'
