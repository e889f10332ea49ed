/** `@dsh/tools/testing`: what tests of tools, policies and executors are made of. */
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { createLatch, type Latch } from './latch.ts'
export { createRecordingLogger, type RecordingLogger } from './recording-logger.ts'
