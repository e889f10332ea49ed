// A process that changes one file of its working folder again and again, and prints what became of each call, one line each.
// Its arguments: `edit` adds a line of its own above the last, having read the file anew; `write` replaces the file by ever other versions.
import { fileTools } from '@dsh/toolkit'
import { createRuntime } from '@dsh/tools'

const [, , kind, name, times] = process.argv
const runtime = createRuntime()
await runtime.plugin(fileTools, { root: process.cwd() })
for (let index = 0; index < Number(times); index++) {
  const edits = [{ oldText: 'end\n', newText: `${name}${index}\nend\n` }]
  if (kind === 'edit') await runtime.call('read', { path: 'f', offset: 1, limit: 1 })
  const result = await (kind === 'edit'
    ? runtime.call('edit', { path: 'f', edits })
    : runtime.call('write', { path: 'f', content: `${index}\n`.repeat(20_000) }))
  console.log(result.isError ? result.error.info?.code : `${name}${index}`)
}
