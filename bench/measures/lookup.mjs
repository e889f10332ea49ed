// Looking a tool up by its name, among few and among many.
import { createRuntime } from '@dsh/tools'
import { addOneTool } from '../contestants/dsh.mjs'

export const name = 'Looking up a tool'
export const target = '`get` and `executable` with 10,000 tools: as with 10, within noise'
export const notes = [
  'Ten names in turn, spread over all that are registered. Within noise: at most 1.25 times as long. What noise there is, the second set of 10 tools',
  'shows beside the first.',
]

export async function run({ compare, ratio, verdict, timingTable, options }) {
  const verdicts = []
  const tables = []
  for (const method of ['get', 'executable']) {
    const timings = await compare({ few: lookUp(method, 10), control: lookUp(method, 10), many: lookUp(method, 10_000) }, options)
    verdicts.push(verdict(`\`${method}\` among 10,000, of \`${method}\` among 10`, ratio(timings.many, timings.few), { atMost: 1.25 }))
    tables.push(
      timingTable(timings, { few: '10 tools', control: '10 other tools', many: '10,000 tools' }, 'few', `\`${method}\`, ten times`),
    )
  }
  return { verdicts, tables }
}

function lookUp(method, count) {
  const { tools } = createRuntime()
  for (let n = 0; n < count; n++) tools.register(addOneTool(toName(n)))
  const names = Array.from({ length: 10 }, (_, n) => toName((n * count) / 10))
  return () => {
    let found = 0
    for (const toolName of names) if (tools[method](toolName)?.name === toolName) found++
    if (found !== 10) throw new Error(`${method} found ${found} of 10 tools among ${count}`)
    return found
  }
}

/** All of one length: comparing longer names takes longer. */
function toName(n) {
  return `tool_${String(n).padStart(5, '0')}`
}
