import { NEVER, type SignalHubs, type SignalWatch, type SignalWatcher } from './signals.ts'

const NONE: readonly never[] = []

/**
 * The cancellation of one call: its own signal, made when first read, and while wrappers run the ones that replace it. The
 * caller's cancellation is fused into every one of them, so that no replacement can detach it.
 */
export class CallSignal implements SignalWatcher {
  readonly caller: AbortSignal
  readonly #hubs: SignalHubs
  #watch: SignalWatch | undefined
  #released = false
  #own: AbortController | undefined
  #fused: readonly FusedSignal[] = NONE
  /** The replacement in force; undefined means the call's own. */
  #current: FusedSignal | undefined
  #body: SignalWatcher | undefined

  constructor(caller: AbortSignal, hubs: SignalHubs) {
    this.caller = caller
    this.#hubs = hubs
  }

  /** What `exec.signal` gives. */
  read(): AbortSignal {
    return this.#current?.signal ?? this.#ownSignal()
  }

  /** Replace the signal, for the wrappers further in and the body. Setting one that was read before restores it. */
  replace(signal: AbortSignal): void {
    if (signal === this.#own?.signal) {
      this.#current = undefined
      return
    }
    this.#current = this.#fused.find((fused) => fused.signal === signal) ?? this.#fuse(signal)
    if (this.#current.signal.aborted) this.#body?.fired(this.#current.signal.reason)
  }

  /** The wrappers are done: the call's own signal again. */
  restore(): void {
    this.#current = undefined
    for (const fused of this.#fused) fused.release()
    this.#fused = NONE
  }

  /** A body begins: hear when its signal fires. */
  enterBody(body: SignalWatcher): void {
    this.#body = body
    this.#watchCaller()
    const signal = this.#current?.signal ?? this.caller
    if (signal.aborted) body.fired(signal.reason)
  }

  /** The body has settled. */
  leaveBody(): void {
    this.#body = undefined
  }

  /** The call is over: nothing listens any more. A signal that was handed out stays as it is. */
  release(): void {
    this.#released = true
    this.restore()
    this.#watch?.end()
    this.#watch = undefined
  }

  fired(reason: unknown): void {
    this.#own?.abort(reason)
    for (const fused of this.#fused) fused.fired(reason)
    this.#body?.fired(reason)
  }

  #fuse(signal: AbortSignal): FusedSignal {
    this.#watchCaller()
    const fused: FusedSignal = new FusedSignal(signal, this.#hubs, (reason) => {
      if (fused === this.#current) this.#body?.fired(reason)
    })
    if (this.caller.aborted) fused.fired(this.caller.reason)
    this.#fused = [...this.#fused, fused]
    return fused
  }

  #ownSignal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new AbortController()
      if (this.caller.aborted) this.#own.abort(this.caller.reason)
      else this.#watchCaller()
    }
    return this.#own.signal
  }

  #watchCaller(): void {
    if (this.#watch || this.#released || this.caller.aborted || this.caller === NEVER) return
    this.#watch = this.#hubs.watch(this.caller, this)
  }
}

/** A wrapper's signal, with the caller's cancellation fused in by whoever owns it. */
class FusedSignal implements SignalWatcher {
  readonly #controller = new AbortController()
  readonly #onFired: (reason: unknown) => void
  #watch: SignalWatch | undefined

  constructor(replacement: AbortSignal, hubs: SignalHubs, onFired: (reason: unknown) => void) {
    this.#onFired = onFired
    if (replacement.aborted) this.#controller.abort(replacement.reason)
    else this.#watch = hubs.watch(replacement, this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  fired(reason: unknown): void {
    if (this.#controller.signal.aborted) return
    this.#controller.abort(reason)
    this.#onFired(reason)
  }

  release(): void {
    this.#watch?.end()
    this.#watch = undefined
  }
}
