import { Lifetime } from './lifetime.ts'

/** A plugin as it may arrive: our object form, a bare function, or either made for another host. */
export interface Mountable {
  readonly label: string
  readonly needs: readonly string[]
  apply(host: unknown, config: unknown): unknown
}

/** What the mount needs of the scope it happens in. */
export interface MountSite {
  readonly lifetime: Lifetime
  /** Make the host that the plugin registers through. */
  host(lifetime: Lifetime, plugin: Mountable): unknown
  has(service: string): boolean
  /** Hear about services that come and go. @returns what stops it. */
  onServices(changed: () => void): () => void
  onError(error: unknown): void
}

/** A mounted plugin. Awaiting it tells how `apply` ended (or that it still waits for a service); `dispose` unmounts it. */
export interface MountHandle extends PromiseLike<void> {
  dispose(): Promise<void>
}

/** Read a plugin of either form. @throws TypeError when it is neither. */
export function toMountable(plugin: unknown): Mountable {
  const shape = plugin as { name?: unknown; inject?: unknown; apply?: unknown } | null | undefined
  const isFunction = typeof plugin === 'function'
  const label = typeof shape?.name === 'string' && shape.name !== '' ? shape.name : 'an unnamed plugin'
  if (!isFunction && typeof shape?.apply !== 'function') {
    throw new TypeError('A plugin is an object with an apply(host, config) method, or a function of (host, config).')
  }
  const inject = shape?.inject ?? []
  const needs = Array.isArray(inject) ? inject : Object.keys(inject as object)
  if (!needs.every((name) => typeof name === 'string')) throw new TypeError(`${label}: inject must list names of services.`)
  const call = isFunction ? (plugin as (host: unknown, config: unknown) => unknown) : undefined
  const apply = (host: unknown, config: unknown) => (call ? call(host, config) : (plugin as Mountable).apply(host, config))
  return { label, needs, apply }
}

/**
 * Mount a plugin: it starts when every service it names is there, stops when one goes, and starts again when it returns.
 * A plugin whose `apply` fails leaves nothing behind.
 */
export function mountPlugin(plugin: Mountable, config: unknown, site: MountSite): MountHandle {
  const mount = new Mount(plugin, config, site)
  const unwatch = site.onServices(() => mount.refresh())
  const unmount = site.lifetime.own(() => {
    unwatch()
    mount.stop()
  })
  mount.refresh()
  return {
    // biome-ignore lint/suspicious/noThenProperty: the handle is awaited by contract, as in Cordis
    then(resolve, reject) {
      mount.awaited = true
      return mount.started().then(resolve, reject)
    },
    async dispose() {
      unmount() // waits for nothing that runs: an apply that goes on can register nothing any more
    },
  }
}

class Mount {
  readonly #plugin: Mountable
  readonly #config: unknown
  readonly #site: MountSite
  #running: Lifetime | undefined
  #applied: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined
  #stopped = false
  /** Somebody awaits the handle, and hears of a failure there. */
  awaited = false

  constructor(plugin: Mountable, config: unknown, site: MountSite) {
    this.#plugin = plugin
    this.#config = config
    this.#site = site
  }

  refresh(): void {
    if (this.#stopped) return
    const ready = this.#plugin.needs.every((name) => this.#site.has(name))
    if (ready && this.#running === undefined && this.#failure === undefined) this.#start()
    else if (!ready && this.#running !== undefined) this.#end()
  }

  stop(): void {
    this.#stopped = true
    this.#end()
  }

  async started(): Promise<void> {
    await this.#applied
    if (this.#failure) throw this.#failure.error
  }

  #start(): void {
    const lifetime = new Lifetime(this.#site.onError)
    this.#running = lifetime
    const fail = (error: unknown) => {
      if (lifetime !== this.#running) return // it was stopped meanwhile, and what it does then concerns nobody
      this.#failure = { error }
      lifetime.end()
      void this.#report(new Error(`The plugin ${this.#plugin.label} could not start.`, { cause: error }))
    }
    try {
      const applied = this.#plugin.apply(this.#site.host(lifetime, this.#plugin), this.#config)
      this.#applied = Promise.resolve(applied).then(() => undefined, fail)
    } catch (error) {
      fail(error)
    }
  }

  /** Tell the host, unless whoever mounted the plugin awaits it: an await needs a few turns to say so. */
  async #report(error: Error): Promise<void> {
    for (let turn = 0; turn < 5 && !this.awaited; turn++) await undefined
    if (!this.awaited) this.#site.onError(error)
  }

  #end(): void {
    this.#running?.end()
    this.#running = undefined
  }
}
