import { Context } from '@deepseek-ai/cordis'
import { createScope, ToolsService } from '@dsh/cordis'
import { type Agent, createRuntime, type Host, type Plugin, type RuntimeOptions, type ScopeKey, type ToolExecutionResult } from '@dsh/tools'
import { createFakeClock, createRecordingLogger, type FakeClock, type RecordingLogger } from '@dsh/tools/testing'

/** A host, and what the scenarios need of it that the contract of a host leaves out. */
export interface HostUnderTest {
  readonly host: Host
  readonly clock: FakeClock
  readonly logger: RecordingLogger
  /** Make the scope of a key below that of a host. */
  scope(key: ScopeKey, above?: Host): { readonly host: Host; dispose(): Promise<void> }
  /** Reload whatever gives `host.tools`. */
  reload(): Promise<void>
  /** The host as one sees it who has a filter on events that lets nothing pass. */
  filtered(host: Host): Host
}

/** Makes a host. `before` sees it before there are tools. */
export type CreateHost = (before?: (host: Host) => void) => Promise<HostUnderTest>

/** Our own host, which always has its tools. */
export const createOwnHost: CreateHost = async (before) => {
  const options = { clock: createFakeClock(), logger: createRecordingLogger() }
  const host = createRuntime(options)
  before?.(host)
  return {
    host,
    ...options,
    scope(key, above = host) {
      const scope = (above as typeof host).child(key)
      return { host: scope, dispose: async () => scope.dispose() }
    },
    reload: async () => undefined,
    filtered: (it) => it,
  }
}

/** Cordis, with our service mounted on its root. */
export const createCordisHost: CreateHost = async (before) => {
  const { root, service, ...options } = await mounted({}, before)
  return {
    host: root,
    ...options,
    scope(key, above = root) {
      const { ctx, dispose } = createScope(above as Context, key)
      return { host: ctx, dispose }
    },
    reload: async () => {
      await service.restart()
      await settled(root)
    },
    filtered: (it) => (it as Context).extend({ [Context.filter]: () => false }),
  }
}

/** A root context with our service. */
export async function mounted(options: RuntimeOptions = {}, before?: (root: Context) => void) {
  const root = new Context()
  before?.(root)
  const clock = createFakeClock()
  const logger = createRecordingLogger()
  const service = root.plugin(ToolsService, { clock, logger, ...options })
  await service
  return { root, service, clock, logger }
}

/** Wait until every plugin has started or stopped. */
export async function settled(root: Context): Promise<void> {
  const fibers = [...root.registry.values()].flatMap((runtime) => [...runtime.fibers])
  await Promise.allSettled(fibers.map((fiber) => fiber.await()))
}

export { createTestTool as rawTool } from '@dsh/tools/testing'

export const agentOf = (id: string): Agent => ({ id })

/** A plugin that uses tools. */
export const plugin = (name: string, apply: (host: Host) => void | Promise<void>): Plugin => ({ name, inject: ['tools'], apply })

/** Run one call through the tools of a host. */
export async function run(host: Host, name: string, agent?: Agent): Promise<ToolExecutionResult> {
  const { results } = await host.tools.execute({
    calls: [{ type: 'tool-call', name, arguments: '' }],
    signal: live,
    ...(agent && { agent }),
  })
  return results[0]!.result
}

/** What a call came to: its code, or the text of its content. */
export function gist(result: ToolExecutionResult): string {
  return result.error?.info?.code ?? result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('')
}

/** The names that a scope sees. */
export function names(host: Host, scope?: ScopeKey): readonly string[] {
  return host.tools.definitions(scope).map(({ name }) => name)
}

/** A signal that nobody will fire. */
export const live: AbortSignal = new AbortController().signal
