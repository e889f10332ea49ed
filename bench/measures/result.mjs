// A large structured result: what canonical values cost beside the copy nobody can do without.

import { createRuntime, defineTool, snapshotJson } from '@dsh/tools'
import Ajv from 'ajv'
import * as cordis from '../contestants/cordis.mjs'
import { compileSchema } from '../contestants/dsh-internals.mjs'
import { SIGNAL } from '../contestants/trivial.mjs'

export const name = 'A result of 1.2 MB'
export const target = '1.2 MB structured result (10,000 objects, typed schema, `render` aside): at most 2.5 times structuredClone'
export const notes = [
  'A body gives the same 10,000 objects every time, `render` a constant. Two figures: the canonical value alone (`snapshotJson`, then validation',
  'of the snapshot), and a whole call less a trivial one.',
]

const MATCH = {
  type: 'object',
  additionalProperties: false,
  properties: {
    id: { type: 'integer', required: true },
    path: { type: 'string', required: true },
    line: { type: 'integer', required: true },
    isExact: { type: 'boolean', required: true },
    kind: { type: 'string', enum: ['text', 'binary', 'link'], required: true },
    at: {
      type: 'object',
      additionalProperties: false,
      required: true,
      properties: { column: { type: 'integer', required: true }, length: { type: 'integer', required: true } },
    },
  },
}
const SPEC = { type: 'object', additionalProperties: false, properties: { matches: { type: 'array', items: MATCH, required: true } } }
const CONTENT = [{ type: 'text', text: 'ok' }]

export async function run({ compare, perRound, ratio, verdict, timingTable, options }) {
  const value = { matches: Array.from({ length: 10_000 }, (_, n) => toMatch(n)) }
  const bytes = JSON.stringify(value).length
  const ours = oursOf(value)
  const peer = await peerOf(value)
  const ajv = new Ajv().compile(ours.schema)
  const compiled = compileSchema(ours.schema)
  const canonical = () => {
    const copy = snapshotJson(value)
    if (!compiled.accepts(copy)) throw new Error('the value does not fit')
    return copy
  }
  if (!ajv(value) || canonical().matches.length !== 10_000) throw new Error('the value does not fit')
  const timings = await compare(
    {
      clone: () => structuredClone(value),
      canonical,
      large: ours.large,
      small: ours.small,
      ajv: () => structuredClone(value) && ajv(value),
      peer,
    },
    { ...options, rounds: Math.min(options.rounds, 15) },
  )
  const call = perRound(timings, (round) => (round.large - round.small) / round.clone)
  const labels = {
    clone: `structuredClone of ${bytes} bytes`,
    canonical: 'dsh, the canonical value alone',
    large: 'dsh, a whole call that gives it',
    small: 'dsh, a whole call that gives a small one',
    ajv: 'structuredClone, then ajv',
    peer: `${cordis.name}, a whole call that gives it`,
  }
  return {
    verdicts: [
      verdict('the canonical value alone, of structuredClone', ratio(timings.canonical, timings.clone), { atMost: 2.5 }),
      verdict('a whole call less a trivial one, of structuredClone', call, { atMost: 2.5 }),
    ],
    tables: [timingTable(timings, labels, 'clone')],
  }
}

function toMatch(n) {
  const kind = ['text', 'binary', 'link'][n % 3]
  return { id: n, path: `packages/src/file-${n}.ts`, line: n % 500, isExact: n % 2 === 0, kind, at: { column: n % 80, length: 12 } }
}

function toolOf(value, define) {
  return define({
    name: 'find',
    description: 'Find.',
    parameters: {},
    output: { schema: SPEC, render: () => CONTENT },
    execute: async () => value,
  })
}

function oursOf(value) {
  const runtime = createRuntime()
  const large = toolOf(value, defineTool)
  runtime.tools.register(large)
  runtime.tools.register({ ...toolOf({ matches: [] }, defineTool), name: 'find_none' })
  const call = (toolName) => async () => {
    const { results } = await runtime.tools.execute({
      calls: [{ type: 'tool-call', callId: 'c', name: toolName, arguments: '{}' }],
      signal: SIGNAL,
    })
    if (results[0].result.isError) throw new Error(results[0].result.error.message)
    return results
  }
  return { schema: large.output.schema, large: call('find'), small: call('find_none') }
}

async function peerOf(value) {
  const ctx = await cordis.createContext()
  ctx.tools.register(toolOf(value, cordis.defineTool))
  return async () => {
    const result = await ctx.tools.execute({ callId: 'c', name: 'find', arguments: {}, signal: SIGNAL })
    if (result.isError || result.value.matches.length !== 10_000)
      throw new Error(`the peer answered ${JSON.stringify(result).slice(0, 300)}`)
    return result
  }
}
