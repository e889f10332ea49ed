/** `@dsh/tools/testing`: what tests of tools, policies and executors are made of. */
export { describeExecutor, type ExecutorUnderTest, type TestApi } from './describe-executor.ts'
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { createLatch, type Latch } from './latch.ts'
export { createRecordingLogger, type RecordingLogger } from './recording-logger.ts'
export { createTestTool } from './test-tool.ts'
