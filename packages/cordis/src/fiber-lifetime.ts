import type { Context, Fiber } from '@deepseek-ai/cordis'

/** Values of Cordis' `FiberState`, which is a const enum: it cannot be imported. */
const LOADING = 1
const ACTIVE = 2

/** What one fiber has registered here, and the fibers below it that have, too. */
class FiberLifetime {
  readonly #undo = new Set<() => void>()

  /** Own an undo. @returns what runs it now, once. */
  own(undo: () => void): () => void {
    const once = () => {
      if (this.#undo.delete(once)) undo()
    }
    this.#undo.add(once)
    return once
  }

  /** Undo everything, newest first. */
  end(): void {
    for (const once of [...this.#undo].reverse()) once()
  }
}

/**
 * Ties registrations to fibers. Each is an effect of its fiber, so Cordis undoes it in its place among the fiber's other
 * effects. Cordis runs the disposers of a child fiber a turn later than those of its parent, though: a guard of the parent
 * would be gone before the tool of the child that it guards. So a child whose parent unloads loses its registrations at
 * once, those of the fibers below it first.
 */
export class FiberLifetimes {
  readonly #byFiber = new WeakMap<Fiber, FiberLifetime>()
  readonly #atOnce = new WeakMap<Fiber, () => void>()

  /** Register something for the fiber of a context. @returns the disposer of the effect. */
  own(ctx: Context, label: string, register: () => () => void): () => void {
    const { fiber } = ctx
    assertRunning(fiber, label)
    const lifetime = this.#of(fiber)
    return fiber.effect(() => lifetime.own(register()), label)
  }

  /** End something in the very turn in which a fiber is disposed, or when the fiber above it loses its registrations. */
  endAtOnce(fiber: Fiber, end: () => void): void {
    const above = this.#of(fiber.parent.fiber)
    const once = above.own(end)
    this.#atOnce.set(fiber, once)
    fiber.effect(() => once, 'scope')
  }

  /** A fiber is being disposed: `internal/plugin` tells it in the same turn. It tells of a new fiber, too, which owns nothing. */
  leaving(fiber: Fiber): void {
    this.#atOnce.get(fiber)?.()
    if (isIn(fiber, LOADING) || isUnloading(fiber.parent.fiber)) this.#byFiber.get(fiber)?.end()
  }

  #of(fiber: Fiber): FiberLifetime {
    const known = this.#byFiber.get(fiber)
    if (known) return known
    const lifetime = new FiberLifetime()
    if (fiber.parent.fiber !== fiber) {
      const unlink = this.#of(fiber.parent.fiber).own(() => lifetime.end())
      const forget = () => {
        this.#byFiber.delete(fiber)
        unlink()
      }
      fiber.effect(() => forget, 'ctx.tools')
    }
    this.#byFiber.set(fiber, lifetime)
    return lifetime
  }
}

/** Cordis takes effects of a plugin that failed or was stopped, too; they would stay for ever, or stand beside those of its next run. */
function assertRunning(fiber: Fiber, label: string): void {
  fiber.assertActive()
  if (isIn(fiber, LOADING) || isIn(fiber, ACTIVE)) return
  throw new Error(`Cannot ${label}: the plugin <${fiber.name}> does not run. It has failed, was stopped, or waits for a service.`)
}

/** A fiber that unloads has let go of all its effects at once. Its state does not tell: who restarts the handle of a plugin sets that of the handle. */
function isUnloading(fiber: Fiber): boolean {
  return (fiber as unknown as { readonly _disposables: { readonly length: number } })._disposables.length === 0
}

function isIn(fiber: Fiber, state: number): boolean {
  return (fiber.state as number) === state
}
