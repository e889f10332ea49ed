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

  /** Hear once when the signal fires, until the watch is ended, which it must be. */
  watch(signal: AbortSignal, watcher: SignalWatcher): SignalWatch {
    let hub = this.#hubs.get(signal)
    if (hub === undefined) {
      hub = new Hub(signal)
      this.#hubs.set(signal, hub)
    }
    return hub.add(watcher)
  }
}

/** A place in the list of those who watch a signal: it comes and goes at the same cost, however long the list. */
export class SignalWatch {
  readonly watcher: SignalWatcher
  readonly #hub: Hub
  previous: SignalWatch | undefined
  next: SignalWatch | undefined

  constructor(watcher: SignalWatcher, hub: Hub) {
    this.watcher = watcher
    this.#hub = hub
  }

  end(): void {
    this.#hub.remove(this)
  }
}

class Hub {
  readonly #signal: AbortSignal
  #first: SignalWatch | undefined
  #last: SignalWatch | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(watcher: SignalWatcher): SignalWatch {
    const watch = new SignalWatch(watcher, this)
    if (this.#last === undefined) {
      this.#first = watch
      this.#signal.addEventListener('abort', this.#fire)
    } else {
      this.#last.next = watch
      watch.previous = this.#last
    }
    this.#last = watch
    return watch
  }

  /** @param watch - one that is in the list: it is ended once. */
  remove({ previous, next }: SignalWatch): void {
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
    if (this.#first === undefined) this.#signal.removeEventListener('abort', this.#fire)
  }

  readonly #fire = () => {
    const watchers: SignalWatcher[] = []
    for (let watch = this.#first; watch; watch = watch.next) watchers.push(watch.watcher)
    for (const watcher of watchers) watcher.fired(this.#signal.reason)
  }
}
