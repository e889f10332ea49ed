// Registering many tools, and listing their schemas.
import { createRuntime, defineTool } from '@dsh/tools'
import * as cordis from '../contestants/cordis.mjs'
import * as dsh from '../contestants/dsh.mjs'

export const name = 'Registering tools'
export const target = "register 10,000 tools: at most 1/10 of the peer's; `schemas()` of 1,000 after the first: O(1)"
export const notes = [
  'A fresh runtime takes the tools each round, with definitions that were made before the clock started; what making them costs as well is in a',
  'table of its own. Trivial tools have one parameter, real ones six. `schemas()` is asked again with nothing changed; O(1): of 1,000 it takes at',
  'most 1.25 times as long as of 10.',
]

const COUNT = 10_000
const FIND = {
  description: 'Find files.',
  parameters: {
    path: { type: 'string', required: true, description: 'A folder.' },
    pattern: { type: 'string', required: true },
    limit: { type: 'integer' },
    mode: { type: 'string', enum: ['files', 'lines', 'count'] },
    globs: { type: 'array', items: { type: 'string' } },
    range: {
      type: 'object',
      additionalProperties: false,
      properties: { from: { type: 'integer', required: true }, to: { type: 'integer' } },
    },
  },
  output: {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { total: { type: 'integer', required: true }, notes: { type: 'array', items: { type: 'string' } } },
    },
    render: () => [{ type: 'text', text: 'found' }],
  },
  execute: async () => ({ total: 0 }),
}
const real = (define) => (name) => define({ name, ...FIND })

const SIDES = {
  dsh: { label: 'dsh', toTools: async () => createRuntime().tools, trivial: dsh.addOneTool, real: real(defineTool) },
  peer: {
    label: cordis.name,
    toTools: async () => (await cordis.createContext()).tools,
    trivial: cordis.addOneTool,
    real: real(cordis.defineTool),
  },
}

export async function run({ compare, ratio, verdict, timingTable, options }) {
  const few = { ...options, rounds: 7 }
  const ready = await compare(registrations({ isReady: true }), few)
  const whole = await compare(registrations({ isReady: false }), { ...few, rounds: 5 })
  const listing = await compareListing(compare, options)
  return {
    verdicts: [
      verdict("registering 10,000 trivial tools, of the peer's", ratio(ready['dsh trivial'], ready['peer trivial']), { atMost: 1 / 10 }),
      verdict("registering 10,000 real tools, of the peer's", ratio(ready['dsh real'], ready['peer real']), { atMost: 1 / 10 }),
      verdict('`schemas()` of 1,000, of `schemas()` of 10', ratio(listing.many, listing.few), { atMost: 1.25 }),
    ],
    tables: [
      timingTable(ready, labelsOf(ready), 'dsh trivial', 'Registering 10,000'),
      timingTable(whole, labelsOf(whole), 'dsh trivial', 'Defining and registering 10,000'),
      timingTable(
        listing,
        { few: 'dsh, 10 tools', control: 'dsh, 10 others', many: 'dsh, 1,000 tools', peer: `${cordis.name}, 1,000 tools` },
        'few',
        '`schemas()` once more',
      ),
    ],
  }
}

function registrations({ isReady }) {
  const contestants = {}
  for (const kind of ['trivial', 'real']) {
    for (const [side, { toTools, [kind]: toTool }] of Object.entries(SIDES)) {
      const prepare = async () => ({ tools: await toTools(), definitions: isReady ? define(toTool, COUNT) : undefined })
      contestants[`${side} ${kind}`] = {
        prepare,
        run: ({ tools, definitions }) => registerAll(tools, definitions ?? define(toTool, COUNT)),
      }
    }
  }
  return contestants
}

function labelsOf(timings) {
  const label = (key) => {
    const [side, kind] = key.split(' ')
    return `${SIDES[side].label}, ${kind} tools`
  }
  return Object.fromEntries(Object.keys(timings).map((key) => [key, label(key)]))
}

async function compareListing(compare, options) {
  const list = async ({ toTools, trivial }, count) => {
    const tools = registerAll(await toTools(), define(trivial, count))
    const found = tools.schemas().length
    if (found !== count) throw new Error(`schemas() gave ${found} of ${count}`)
    return () => tools.schemas()
  }
  const { dsh: ours, peer } = SIDES
  const [few, control, many, theirs] = [await list(ours, 10), await list(ours, 10), await list(ours, 1_000), await list(peer, 1_000)]
  return compare({ few, control, many, peer: theirs }, options)
}

function define(toTool, count) {
  return Array.from({ length: count }, (_, n) => toTool(`tool_${n}`))
}

function registerAll(tools, definitions) {
  for (const definition of definitions) tools.register(definition)
  if (tools.get(`tool_${definitions.length - 1}`) === undefined) throw new Error('a tool is missing')
  return tools
}
