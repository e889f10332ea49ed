import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Scope } from '@dsh/tools'
import { UsageError } from '../usage-error.ts'

/** The file of a workspace that mounts plugins without being asked to. */
export const CONFIG_FILE = 'dsh.config.mjs'

/** Files whose plugins are to be mounted: the workspace's own configuration, then those named with --use. */
export function pluginFiles(root: string, use: readonly string[], cwd: string): string[] {
  const config = resolve(root, CONFIG_FILE)
  return [...(existsSync(config) ? [config] : []), ...use.map((file) => resolve(cwd, file))]
}

/** Mount what a file exports by default: a plugin, a list of them, or `{ plugins: [plugin | [plugin, config]] }`. @throws UsageError naming the file. */
export async function mountFile(runtime: Scope, file: string): Promise<void> {
  const exported = await load(file)
  const listed = isRecord(exported) && 'plugins' in exported ? exported['plugins'] : exported
  const entries: readonly unknown[] = Array.isArray(listed) ? listed : [listed]
  for (const [index, entry] of entries.entries()) {
    const [plugin, config] = Array.isArray(entry) ? (entry as readonly unknown[]) : [entry]
    if (!isPlugin(plugin)) {
      throw new UsageError(
        `${file}: entry ${index + 1} of its default export is not a plugin. Export { name, inject: ['tools'], apply(host, config) }, a list of such, or { plugins: [...] }.`,
      )
    }
    try {
      await runtime.plugin(plugin as { apply(host: unknown, config: unknown): unknown }, config)
    } catch (error) {
      throw new UsageError(`${file}: its plugin ${JSON.stringify(nameOf(plugin))} could not be mounted: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }
}

async function load(file: string): Promise<unknown> {
  if (!existsSync(file)) throw new UsageError(`${file}: there is no such file. Check the path given with --use.`)
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`${file}: it could not be loaded: ${messageOf(error)}`, { cause: error })
  }
  if (!('default' in module)) throw new UsageError(`${file}: it has no default export. Export the plugin with "export default".`)
  return module['default']
}

function isPlugin(value: unknown): boolean {
  return typeof value === 'function' || (isRecord(value) && typeof value['apply'] === 'function')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(plugin: unknown): string {
  return ((plugin as { name?: unknown }).name as string) || 'without a name'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
