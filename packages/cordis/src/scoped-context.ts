import type { Context, Fiber } from '@deepseek-ai/cordis'
import type { Scope, ScopeKey } from '@dsh/tools'
import { runtimeOf } from './cordis-runtime.ts'
import { SCOPE } from './scope-mark.ts'

/** A context that acts in the scope of one agent. */
export interface ScopedContext {
  readonly ctx: Context
  readonly key: ScopeKey
  /** End the scope at once, then everything mounted in it. Settles when Cordis has unloaded that. */
  dispose(): Promise<void>
}

/**
 * Make the scope of a key, usually an agent, below the scope that `ctx` acts in. What is registered, listened to or mounted
 * through the context that comes back is for that agent and those below it. The scope ends with the fiber that made it.
 *
 * @throws TypeError when the key is no object or was ever bound, Error when there is no tools service or the fiber is gone.
 */
export function createScope(ctx: Context, key: ScopeKey): ScopedContext {
  const runtime = runtimeOf(ctx)
  let scoped: Context | undefined
  // An effect of the maker from the start: one that is gone binds no key.
  const dispose = ctx.effect(() => {
    const scope = runtime.at(ctx).child(key)
    const { fiber } = ctx.plugin(holder).ctx
    runtime.lifetimes.endAtOnce(fiber, () => scope.dispose())
    scoped = enter(fiber.ctx, ctx, scope)
    runtime.ports.attach(key, scoped)
    return fiber.dispose
  }, 'createScope()')
  return { ctx: scoped as Context, key, dispose: async () => dispose() }
}

/** Its fiber holds what the scope owns. Without a name of its own: messages name the plugin that made the scope. */
const holder = { apply: () => undefined }

/** The context of a scope. The fiber of a scope injects nothing: it may use `tools` where its maker may. */
function enter(held: Context, maker: Context, scope: Scope): Context {
  const asker = askerOf(maker)
  return held.extend({
    [SCOPE]: scope,
    [ASKER]: { held: held.fiber, asker },
    get tools() {
      const asking = this as unknown as Context // a context made from this one, perhaps that of a plugin which has to inject
      return asking.fiber === held.fiber ? asker.tools && asking.get('tools') : Reflect.get(held, 'tools', asking)
    },
  })
}

/** On the context of a scope: whose right to `tools` it has. */
const ASKER = Symbol('asker')

interface Entered {
  readonly [ASKER]?: { readonly held: Fiber; readonly asker: Context }
}

/** The nearest context that has a right of its own: asking scope by scope would cost more with every level. */
function askerOf(ctx: Context): Context {
  const entered = (ctx as Entered)[ASKER]
  return entered?.held === ctx.fiber ? entered.asker : ctx
}
