import { expect, test } from 'vitest'
import { createRuntime, defineTool, ToolTimeoutError } from '../index.ts'

test('a tool that kept its own deadline has timed out, in its own words', async () => {
  const runtime = createRuntime()
  const slow = defineTool({
    name: 'slow',
    description: 'Is slow.',
    parameters: {},
    output: { schema: { type: 'null' }, render: () => [] },
    execute: () => Promise.reject(new ToolTimeoutError('It ran longer than 5 ms.')),
  })
  runtime.tools.register(slow)
  const result = await runtime.call('slow', {})
  expect(result.error).toEqual({ message: 'It ran longer than 5 ms.', info: { name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT' } })
})
