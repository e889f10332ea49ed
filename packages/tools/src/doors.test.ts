import { expect, test } from 'vitest'
import * as executor from './executor/door.ts'
import * as root from './index.ts'
import * as testing from './testing/door.ts'

test('the root door exports these functions and errors, and nothing else', () => {
  expect(Object.keys(root).sort()).toEqual([
    'FAILURES',
    'JsonSchemaError',
    'ToolArgsError',
    'ToolBatchExecutionError',
    'ToolError',
    'ToolNotFoundError',
    'ToolOutputError',
    'ToolTimeoutError',
    'assertObjectJsonSchema',
    'assertSupportedJsonSchema',
    'closeBatch',
    'createRuntime',
    'defineTool',
    'isToolBatchExecutionError',
    'parameterSchemaSpecToJsonSchema',
    'snapshotJson',
    'toToolCallId',
    'validateArgs',
    'validateJsonSchemaValue',
    'valueSchemaSpecToJsonSchema',
  ])
})

test('the executor door exports what an executor is built from', () => {
  expect(Object.keys(executor).sort()).toEqual([
    'ToolExecutionPipeline',
    'beforeRepeating',
    'cardOf',
    'createClock',
    'createGate',
    'digestOf',
    'failedWith',
    'parseCall',
    'runInOrder',
    'sha256',
    'systemClock',
    'waterfall',
  ])
})

test('the testing door exports what tests are made of', () => {
  expect(Object.keys(testing).sort()).toEqual([
    'createFakeClock',
    'createLatch',
    'createRecordingLogger',
    'createTestTool',
    'describeExecutor',
  ])
})

test('a scope offers exactly the documented methods', () => {
  const scope = root.createRuntime()
  for (const method of ['call', 'child', 'plugin', 'provide', 'get', 'effect', 'dispose', 'on'] as const)
    expect(typeof scope[method]).toBe('function')
  for (const method of [
    'register',
    'restrict',
    'get',
    'executable',
    'executionMode',
    'resolve',
    'definitions',
    'schemas',
    'setExecutor',
    'execute',
    'guard',
    'checkGuards',
    'explain',
    'modelInput',
    'sections',
  ] as const)
    expect(typeof scope.tools[method]).toBe('function')
})
