import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Scope } from '@dsh/tools'
import type { Services } from '@dsh/tools/ports'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../text/printable.ts'
import { UsageError } from '../usage-error.ts'

/** The file of a workspace that mounts plugins without being asked to. */
export const CONFIG_FILE = 'dsh.config.mjs'

/** Which plugins are mounted. */
export interface UserPlugins {
  readonly root: string
  /** Whether the workspace's own configuration is. */
  readonly config: boolean
  /** Files that were named. */
  readonly use?: readonly string[]
}

/** Mount the plugins of the workspace, which is told, and those that were named. @throws UsageError naming the file. */
export async function mountUserPlugins(io: CliIo, runtime: Scope, { root, config, use = [] }: UserPlugins): Promise<void> {
  const own = config ? configFile(root) : undefined
  if (own !== undefined) io.stderr.write(`dsh: using ${printableLine(own)} (--no-config leaves it out)\n`)
  await mountFiles(runtime, [...(own === undefined ? [] : [own]), ...use.map((file) => resolve(io.cwd, file))])
}

/** The configuration of a workspace, when it has one. */
function configFile(root: string): string | undefined {
  const file = resolve(root, CONFIG_FILE)
  return existsSync(file) ? file : undefined
}

/**
 * Mount what files export by default: a plugin, a list of them, or `{ plugins: [plugin | [plugin, config]] }`.
 * @throws UsageError naming the file, also for a plugin that would wait for a service in vain: a policy that does nothing is worse than none.
 */
async function mountFiles(runtime: Scope, files: readonly string[]): Promise<void> {
  const mounted: { readonly file: string; readonly plugin: unknown }[] = []
  for (const file of new Set(files)) {
    for (const [plugin, config] of await loadPlugins(file)) {
      await mount(runtime, file, [plugin, config])
      mounted.push({ file, plugin })
    }
  }
  for (const { file, plugin } of mounted) assertStarted(runtime, file, plugin)
}

type Entry = readonly [plugin: unknown, config: unknown]

async function mount(runtime: Scope, file: string, [plugin, config]: Entry): Promise<void> {
  try {
    await runtime.plugin(plugin as { apply(host: unknown, config: unknown): unknown }, config)
  } catch (error) {
    throw new UsageError(`${file}: its plugin ${nameOf(plugin)} could not be mounted: ${messageOf(error)}`, { cause: error })
  }
}

function assertStarted(runtime: Scope, file: string, plugin: unknown): void {
  const { inject = [] } = plugin as { inject?: readonly string[] | Readonly<Record<string, unknown>> }
  const needs = Array.isArray(inject) ? (inject as readonly string[]) : Object.keys(inject)
  const missing = needs.filter((name) => name !== 'tools' && runtime.get(name as keyof Services) === undefined)
  if (missing.length === 0) return
  const services = missing.map((name) => JSON.stringify(name)).join(', ')
  throw new UsageError(
    `${file}: its plugin ${nameOf(plugin)} did not start: it needs ${services}, which nothing here provides. Mount a plugin that does, or leave this one out.`,
  )
}

async function loadPlugins(file: string): Promise<Entry[]> {
  const exported = await load(file)
  const listed = isRecord(exported) && 'plugins' in exported ? exported['plugins'] : exported
  const entries: readonly unknown[] = Array.isArray(listed) ? listed : [listed]
  return entries.map((entry, index): Entry => {
    const [plugin, config] = Array.isArray(entry) ? (entry as readonly unknown[]) : [entry]
    if (isPlugin(plugin)) return [plugin, config]
    throw new UsageError(
      `${file}: entry ${index + 1} of its default export is not a plugin. Export { name, inject: ['tools'], apply(host, config) }, a list of such, or { plugins: [...] }.`,
    )
  })
}

async function load(file: string): Promise<unknown> {
  if (!existsSync(file)) throw new UsageError(`${file}: there is no such file. Check the path given with --use.`)
  if (!statSync(file).isFile()) throw new UsageError(`${file}: it is not a file. Name a file that exports a plugin.`)
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`${file}: it could not be loaded: ${messageOf(error)}.${wayOut(error)}`, { cause: error })
  }
  if (!('default' in module)) throw new UsageError(`${file}: it has no default export. Export the plugin with "export default".`)
  return module['default']
}

/** Node resolves imports from where the importing file lies, not from where dsh does. */
function wayOut(error: unknown): string {
  const missing = /Cannot find package '([^']+)'/.exec(messageOf(error))?.[1]
  return missing === undefined ? '' : ` Install ${missing} in the folder of that file, or one above it.`
}

function isPlugin(value: unknown): boolean {
  return typeof value === 'function' || (isRecord(value) && typeof value['apply'] === 'function')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(plugin: unknown): string {
  const { name } = plugin as { name?: unknown }
  return typeof name === 'string' && name !== '' ? JSON.stringify(name) : 'without a name'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
