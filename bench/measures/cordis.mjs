// The same trivial call on Cordis: `ctx.tools` of @dsh/cordis beside the peer's.
import { Context } from '@deepseek-ai/cordis'
import { ToolsService } from '@dsh/cordis'
import * as cordis from '../contestants/cordis.mjs'
import * as dsh from '../contestants/dsh.mjs'
import { ARGUMENTS, assertAnswers, SIGNAL } from '../contestants/trivial.mjs'

export const name = 'A trivial call on Cordis'
export const target = "a call through `ctx.tools` of `@dsh/cordis`, no listener: at most 1/5 of the peer's"
export const notes = ['Both read `ctx.tools` for every call, as a plugin does. A context of a plugin is one that injects `tools`.']

const LABELS = {
  alone: 'dsh without Cordis',
  ours: '@dsh/cordis, from the root context',
  oursInPlugin: '@dsh/cordis, from the context of a plugin',
  peer: `${cordis.name}, from the root context`,
  peerInPlugin: `${cordis.name}, from the context of a plugin`,
}

export async function run({ compare, ratio, verdict, timingTable, options }) {
  const root = new Context()
  await root.plugin(ToolsService)
  root.tools.register(dsh.addOneTool())
  const peer = (await cordis.create()).ctx
  const timings = await compare(
    {
      alone: (await dsh.create()).one,
      ours: await ourCall(root),
      oursInPlugin: await ourCall(await pluginContext(root)),
      peer: await peerCall(peer),
      peerInPlugin: await peerCall(await pluginContext(peer)),
    },
    options,
  )
  return {
    verdicts: [
      verdict("a call from the root context, of the peer's", ratio(timings.ours, timings.peer), { atMost: 1 / 5 }),
      verdict("a call from a plugin, of the peer's", ratio(timings.oursInPlugin, timings.peerInPlugin), { atMost: 1 / 5 }),
    ],
    tables: [timingTable(timings, LABELS, 'ours')],
  }
}

async function pluginContext(root) {
  let context
  await root.plugin({
    name: 'caller',
    inject: ['tools'],
    apply(ctx) {
      context = ctx
    },
  })
  return context
}

async function ourCall(ctx) {
  const calls = [{ type: 'tool-call', callId: 'c', name: 'add_one', arguments: ARGUMENTS }]
  const call = () => ctx.tools.execute({ calls, signal: SIGNAL })
  assertAnswers('@dsh/cordis', [(await call()).results[0].result.value], 1)
  return call
}

async function peerCall(ctx) {
  const call = () => ctx.tools.execute({ callId: 'c', name: 'add_one', arguments: JSON.parse(ARGUMENTS), signal: SIGNAL })
  assertAnswers(cordis.name, [(await call()).value], 1)
  return call
}
