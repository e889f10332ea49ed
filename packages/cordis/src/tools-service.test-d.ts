import { Context } from '@deepseek-ai/cordis'
import type { Host, Scoped, ScopeKey, ToolsService as Tools } from '@dsh/tools'
import { timeoutPolicy } from '@dsh/tools/policies/timeout'
import type { ApprovalService, Clock, Logger } from '@dsh/tools/ports'
import defaultExport, { createScope, defineTool, type Plugin, ToolsService } from './index.ts'

const ctx = new Context()

// a context is a host, and so is that of a scope
const host: Host = ctx
const scoped: Host = createScope(ctx, { id: 'a' }).ctx
void [host, scoped]

// the service and its options
ctx.plugin(ToolsService)
ctx.plugin(defaultExport, { limits: { stallWarningMs: 10 } })
// @ts-expect-error no such option
ctx.plugin(ToolsService, { limit: {} })
// @ts-expect-error a limit is a number
ctx.plugin(ToolsService, { limits: { maxValueBytes: '1' } })

// the type of that name is what ctx.tools is
const tools: ToolsService = ctx.tools
const same: Tools = tools
void same

// plugins made for a host mount on a context, with their configuration checked
const policy: Plugin<{ readonly names: readonly string[] }> = { name: 'p', inject: ['tools'], apply: () => undefined }
ctx.plugin(policy, { names: ['a'] })
ctx.plugin(timeoutPolicy, { defaultMs: 5 })
// @ts-expect-error the names are texts
ctx.plugin(policy, { names: [1] })
// @ts-expect-error the configuration is missing
ctx.plugin(policy)

// plugins written for Cordis
ctx.plugin((own: Context, config: { readonly n: number }) => void own.tools.schemas().at(config.n), { n: 1 })
ctx.plugin(
  class {
    static inject = ['tools']
    constructor(own: Context, config: { readonly s: string }) {
      own.on('tools/change', () => void config.s)
    }
  },
  { s: '' },
)

// events have the signatures of the contract
ctx.on('tools/execute', function (this: Scoped<Tools>, exec, next) {
  exec.signal = AbortSignal.any([exec.signal])
  return next()
})
ctx.on('tools/execute', function (_exec, next) {
  const scope: ScopeKey | undefined = this.scope
  this.report({ kind: 'seen', message: String(scope) })
  return next()
})
ctx.on('tools/pre-execute', async (exec) => ({ kind: 'deny', reason: exec.name }))
ctx.once('tools/result', (exec) => void exec.name as undefined)
// @ts-expect-error no decision
ctx.on('tools/pre-execute', async () => ({ kind: 'perhaps' }))
ctx.on('tools/post-execute', (exec, _result, next) => {
  // @ts-expect-error only a wrapper may change the signal
  exec.signal = AbortSignal.any([])
  return next()
})

// services
const approval: ApprovalService | undefined = ctx.get('approval')
const clock: Clock | undefined = ctx.get('clock')
const log: Logger | undefined = host.get('logger')
ctx.provide('approval', { request: async () => ({ outcome: 'rejected' }) })
// @ts-expect-error no such outcome
host.provide('approval', { request: async () => ({ outcome: 'maybe' }) })
ctx.logger('mine').info('the type of Cordis stays')
void [approval, clock, log]

ctx.tools.register(
  defineTool({
    name: 'double',
    description: 'Doubles.',
    parameters: { n: { type: 'integer', required: true } },
    output: { schema: { type: 'integer' } },
    execute: async ({ n }) => n * 2,
  }),
)
