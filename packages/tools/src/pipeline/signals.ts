/** Whoever wants to hear that a caller is gone. */
export interface CallerWatcher {
  callerGone(reason: unknown): void
}

/**
 * One listener per caller signal, however many calls and batches share it, and none when they are done.
 */
export class CallerSignals {
  readonly #hubs = new WeakMap<AbortSignal, Hub>()

  /** Hear once when the signal fires. Must be paired with {@link CallerSignals.unwatch}. */
  watch(signal: AbortSignal, watcher: CallerWatcher): void {
    let hub = this.#hubs.get(signal)
    if (hub === undefined) {
      hub = new Hub(signal)
      this.#hubs.set(signal, hub)
    }
    hub.add(watcher)
  }

  unwatch(signal: AbortSignal, watcher: CallerWatcher): void {
    this.#hubs.get(signal)?.delete(watcher)
  }
}

class Hub {
  readonly #signal: AbortSignal
  readonly #watchers = new Set<CallerWatcher>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(watcher: CallerWatcher): void {
    this.#watchers.add(watcher)
    if (this.#watchers.size === 1) this.#signal.addEventListener('abort', this.#fire)
  }

  delete(watcher: CallerWatcher): void {
    if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#signal.removeEventListener('abort', this.#fire)
  }

  readonly #fire = () => {
    for (const watcher of [...this.#watchers]) watcher.callerGone(this.#signal.reason)
  }
}

/**
 * The cancellation of one call: its own signal, made when first read, and while wrappers run the one that replaces it.
 * The caller's cancellation reaches every one of them.
 */
export class CallSignal implements CallerWatcher {
  readonly caller: AbortSignal
  readonly #callers: CallerSignals
  #watching = false
  #own: AbortController | undefined
  #replacement: AbortSignal | undefined
  #fused: FusedSignal | undefined
  #onFired: ((reason: unknown) => void) | undefined

  constructor(caller: AbortSignal, callers: CallerSignals) {
    this.caller = caller
    this.#callers = callers
  }

  /** What `exec.signal` gives: the fused signal while a body runs, else the replacement, else the call's own. */
  read(): AbortSignal {
    if (this.#replacement === undefined) return this.#ownSignal()
    if (this.#fused !== undefined) return this.#fused.signal
    return this.#replacement
  }

  /** Replace the signal, for the wrappers further in and the body. Setting the call's own signal restores it. */
  replace(signal: AbortSignal): void {
    this.#replacement = signal === this.#own?.signal ? undefined : signal
  }

  /** Undo every replacement, when the wrappers are done. */
  restore(): void {
    this.#replacement = undefined
  }

  /** A body begins: fuse the caller back in, and hear when its signal fires. */
  enterBody(onFired: (reason: unknown) => void): void {
    this.#onFired = onFired
    this.#watch()
    if (this.#replacement !== undefined) this.#fused = new FusedSignal(this.#replacement, this.caller, onFired)
    else if (this.caller.aborted) onFired(this.caller.reason)
  }

  /** The body has settled. */
  leaveBody(): void {
    this.#onFired = undefined
    this.#fused?.release()
    this.#fused = undefined
  }

  /** The call is over: nothing listens any more. A signal that was handed out stays as it is. */
  release(): void {
    if (this.#watching) this.#callers.unwatch(this.caller, this)
    this.#watching = false
  }

  callerGone(reason: unknown): void {
    this.#own?.abort(reason)
    if (this.#fused !== undefined) this.#fused.fire(reason)
    else this.#onFired?.(reason)
  }

  #ownSignal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new AbortController()
      if (this.caller.aborted) this.#own.abort(this.caller.reason)
      else this.#watch()
    }
    return this.#own.signal
  }

  #watch(): void {
    if (this.#watching || this.caller.aborted || this.caller === NEVER) return
    this.#watching = true
    this.#callers.watch(this.caller, this)
  }
}

/** A signal that never fires, for callers without one of their own. */
export const NEVER: AbortSignal = new AbortController().signal

/** A wrapper's signal with the caller's cancellation fused back in. */
class FusedSignal {
  readonly #controller = new AbortController()
  readonly #replacement: AbortSignal
  readonly #onFired: (reason: unknown) => void

  constructor(replacement: AbortSignal, caller: AbortSignal, onFired: (reason: unknown) => void) {
    this.#replacement = replacement
    this.#onFired = onFired
    const fired = [caller, replacement].find((signal) => signal.aborted)
    if (fired) this.fire(fired.reason)
    else replacement.addEventListener('abort', this.#replacementFired, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  fire(reason: unknown): void {
    if (this.#controller.signal.aborted) return
    this.#controller.abort(reason)
    this.#onFired(reason)
  }

  release(): void {
    this.#replacement.removeEventListener('abort', this.#replacementFired)
  }

  readonly #replacementFired = () => this.fire(this.#replacement.reason)
}
