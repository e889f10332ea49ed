import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, toToolCallId } from '@dsh/tools'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { shellTools } from '../index.ts'

test('commands of a batch run one after another, and a cancelled one never runs', async () => {
  const root = await tempFolder()
  const runtime = createRuntime()
  await runtime.plugin(shellTools, { root })
  const controller = new AbortController()
  runtime.on('tools/progress', () => controller.abort())
  const call = (command: string) => ({
    type: 'tool-call' as const,
    callId: toToolCallId(command),
    name: 'bash',
    arguments: JSON.stringify({ command }),
  })
  const { results } = await runtime.tools.execute({
    calls: [call('touch a; echo begun; exec sleep 100'), call('touch b')],
    signal: controller.signal,
  })

  expect(results.map(({ result }) => result.error?.info?.code)).toEqual(['ABORTED', 'ABORTED_BEFORE_DISPATCH'])
  expect([existsSync(join(root, 'a')), existsSync(join(root, 'b'))]).toEqual([true, false])
})
