/** Whoever wants to hear that a signal fired. */
export interface SignalWatcher {
  fired(reason: unknown): void
}

/** A signal that never fires, for callers without one of their own. */
export const NEVER: AbortSignal = new AbortController().signal

/**
 * One listener per signal, however many calls and batches watch it, and none when they are done.
 */
export class SignalHubs {
  readonly #hubs = new WeakMap<AbortSignal, Hub>()

  /** Hear once when the signal fires. Must be paired with {@link SignalHubs.unwatch}. */
  watch(signal: AbortSignal, watcher: SignalWatcher): void {
    let hub = this.#hubs.get(signal)
    if (hub === undefined) {
      hub = new Hub(signal)
      this.#hubs.set(signal, hub)
    }
    hub.add(watcher)
  }

  unwatch(signal: AbortSignal, watcher: SignalWatcher): void {
    this.#hubs.get(signal)?.delete(watcher)
  }
}

class Hub {
  readonly #signal: AbortSignal
  readonly #watchers = new Set<SignalWatcher>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(watcher: SignalWatcher): void {
    this.#watchers.add(watcher)
    if (this.#watchers.size === 1) this.#signal.addEventListener('abort', this.#fire)
  }

  delete(watcher: SignalWatcher): void {
    if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#signal.removeEventListener('abort', this.#fire)
  }

  readonly #fire = () => {
    for (const watcher of [...this.#watchers]) watcher.fired(this.#signal.reason)
  }
}
