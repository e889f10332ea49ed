import type { Context, Fiber } from '@deepseek-ai/cordis'
import { createRuntime, type RuntimeOptions, type Scope } from '@dsh/tools'
import { FiberLifetimes } from './fiber-lifetime.ts'
import { Listeners } from './listeners.ts'
import { cordisLogger } from './logger.ts'
import { Ports } from './ports.ts'
import { markedScope } from './scope-mark.ts'

/** What a host may choose: as for a runtime of its own, but that services are those of Cordis. */
export type ToolsServiceOptions = Omit<RuntimeOptions, 'services'>

/** On the root context, under a registered symbol: two installed copies of this package share one runtime. */
const RUNTIME: unique symbol = Symbol.for('@dsh/cordis/runtime') as never

interface WithRuntime {
  [RUNTIME]?: CordisRuntime
}

/**
 * The runtime of one root context. It outlives the service that made it, so that listeners, and what other fibers
 * registered, are still there after the service was reloaded.
 */
export class CordisRuntime {
  readonly root: Scope
  readonly lifetimes: FiberLifetimes = new FiberLifetimes()
  readonly listeners: Listeners
  readonly ports: Ports
  readonly #options: ToolsServiceOptions
  #service: Fiber | undefined

  constructor(rootContext: Context, options: ToolsServiceOptions) {
    this.#options = options
    this.ports = new Ports(rootContext)
    this.root = createRuntime({ ...options, services: this.ports.find, logger: options.logger ?? cordisLogger(rootContext) })
    this.listeners = new Listeners(rootContext, (ctx, event, listener, prepend) => {
      const register = () => this.at(ctx).on(event, listener, { prepend })
      return this.lifetimes.own(ctx, `ctx.on(${JSON.stringify(event)})`, register)
    })
  }

  /** The scope that a context acts in. */
  at(ctx: Context): Scope {
    return markedScope(ctx) ?? this.root
  }

  /**
   * Take the place of the one service of this root context.
   * @returns what gives it up.
   * @throws Error while another has it, TypeError for other options than those of the first service here.
   */
  take(fiber: Fiber, options: ToolsServiceOptions): () => void {
    if (this.#service) {
      throw new Error(
        `There is a ToolsService on this root context already, mounted in <${this.#service.name}>. Both would serve the same runtime: mount one.`,
      )
    }
    this.assertSame(options)
    this.#service = fiber
    return () => {
      this.#service = undefined
    }
  }

  /** @throws TypeError naming an option that differs from that of the first service here. */
  assertSame(options: ToolsServiceOptions): void {
    const other = (['logger', 'clock', 'limits', 'scheduling'] as const).find((name) => !isSame(options[name], this.#options[name]))
    if (other === undefined) return
    throw new TypeError(
      `The option ${other} differs from that of the first ToolsService here, whose runtime lives on: give the same, or make a new root context.`,
    )
  }
}

/** The runtime of a context's root, made by its first service. */
export function createdRuntimeOf(ctx: Context, options: ToolsServiceOptions): CordisRuntime {
  const root = ctx.root as WithRuntime
  root[RUNTIME] ??= new CordisRuntime(ctx.root, options)
  return root[RUNTIME]
}

/** The runtime of a context's root. @throws Error when no service was ever mounted there. */
export function runtimeOf(ctx: Context): CordisRuntime {
  const runtime = (ctx.root as WithRuntime)[RUNTIME]
  if (runtime === undefined) throw new Error('There is no tools service on this root context yet: mount ToolsService first.')
  return runtime
}

/** Whether two options are the same: services by identity, settings by what they say. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (isSettings(a) && isSettings(b) && saying(a) === saying(b))
}

function isSettings(value: unknown): value is object | undefined {
  return (
    value === undefined ||
    (typeof value === 'object' && value !== null && Object.values(value).every((member) => typeof member !== 'function'))
  )
}

function saying(settings: object = {}): string {
  return JSON.stringify(Object.entries(settings).sort())
}
