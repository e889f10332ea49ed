import { createRuntime, type RuntimeOptions, type Scope, type ToolCallBlock, type ToolExecutionResult, toToolCallId } from '../src/index.ts'
import { createFakeClock, createRecordingLogger, type FakeClock, type RecordingLogger } from '../src/testing/door.ts'

export { createTestTool as rawTool } from '../src/testing/door.ts'

export interface TestRuntime {
  readonly runtime: Scope
  readonly clock: FakeClock
  readonly logger: RecordingLogger
}

/** A runtime with a clock the test moves and a logger that keeps what it is told. */
export function testRuntime(options: Omit<RuntimeOptions, 'logger' | 'clock'> = {}): TestRuntime {
  const clock = createFakeClock()
  const logger = createRecordingLogger()
  return { runtime: createRuntime({ ...options, clock, logger }), clock, logger }
}

/** A raw call of a batch. */
export function call(name: string, args: unknown = {}, callId?: string): ToolCallBlock {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return { type: 'tool-call', name, arguments: text, ...(callId !== undefined && { callId: toToolCallId(callId) }) }
}

/** The code of a failed result; undefined for a success. */
export function codeOf(result: ToolExecutionResult): string | undefined {
  return result.error?.info?.code
}

/** The text of a result. */
export function textOf(result: ToolExecutionResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

/** A signal that nobody will fire. */
export const live: AbortSignal = new AbortController().signal

/** Let everything that is ready run: as many turns of the microtask queue as any chain in the runtime has. */
export async function settleMicrotasks(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
