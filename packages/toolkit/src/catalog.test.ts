import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '@dsh/tools'
import { expect, test } from 'vitest'
import { tempFolder } from '../test/temp-folder.ts'
import { TOOL_PAGES } from './catalog.ts'
import { checkConfig } from './config.ts'
import { fileTools, jobTools, resultTools, shellTools } from './index.ts'
import { checkLimits } from './jobs/job-tools.ts'
import { checkShellConfig } from './shell/shell-config.ts'

test('every code that a tool throws stands on a page, and no other does', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const thrown = sources.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8')
    return [...text.matchAll(/\bcode: '([A-Z_]+)'/g)].map((match) => match[1])
  })
  const documented = Object.values(TOOL_PAGES).flatMap(({ codes }) => Object.keys(codes))
  expect([...new Set(documented)].sort()).toEqual([...new Set(thrown)].sort())
})

test('the limits on the pages are the defaults', async () => {
  const root = await tempFolder()
  const limits = { ...checkConfig({ root }).limits, ...checkShellConfig({ root }).limits, ...checkLimits() }
  const said = Object.assign({}, ...Object.values(TOOL_PAGES).map((page) => page.limits)) as Record<string, string>
  expect(Object.keys(said).sort()).toEqual(Object.keys(limits).sort())
  for (const [setting, value] of Object.entries(limits)) expect(said[setting]).toContain(value.toLocaleString('en'))
})

test('the example of each page is a call that the tool takes, and has a card', async () => {
  const runtime = createRuntime()
  const root = await tempFolder()
  await runtime.plugin(fileTools, { root })
  await runtime.plugin(shellTools, { root })
  await runtime.plugin(resultTools)
  await runtime.plugin(jobTools)
  expect(Object.keys(TOOL_PAGES).sort()).toEqual(
    runtime.tools
      .definitions()
      .map(({ name }) => name)
      .sort(),
  )
  for (const tool of runtime.tools.definitions()) {
    expect(tool.presentCall?.(TOOL_PAGES[tool.name]?.example), tool.name).toMatchObject({ card: expect.any(String) })
  }
})
