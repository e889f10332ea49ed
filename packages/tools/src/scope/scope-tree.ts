import type { ScopeKey } from '../contract/tool.ts'
import type { ListenerTable, ListeningScope, OwnListeners } from './listeners.ts'

/** One scope: its place in the tree, and what the rooms above keep for it (`layer`). */
export class ScopeNode<Layer> implements ListeningScope {
  readonly parent: ScopeNode<Layer> | undefined
  readonly key: ScopeKey | undefined
  readonly layer: Layer
  /** Services provided here, newest last. */
  readonly services: Map<string, unknown[]> = new Map()
  /** Of the root: where services are looked up that no scope provides. */
  servicesOutside: ((name: string, key: ScopeKey | undefined) => unknown) | undefined
  readonly listeners: OwnListeners = new Map()
  listenersVersion = 0
  listenerTable: ListenerTable | undefined
  disposed = false

  constructor(layer: Layer, parent?: ScopeNode<Layer>, key?: ScopeKey) {
    this.layer = layer
    this.parent = parent
    this.key = key
  }
}

/** The scopes of one runtime, found by key. */
export class ScopeTree<Layer> {
  readonly root: ScopeNode<Layer>
  readonly #byKey = new WeakMap<ScopeKey, ScopeNode<Layer>>()
  readonly #createLayer: () => Layer

  constructor(createLayer: () => Layer) {
    this.#createLayer = createLayer
    this.root = new ScopeNode(createLayer())
  }

  /** Bind a key to a new scope below `parent`. @throws TypeError when it is no object or was ever bound, Error below a disposed scope. */
  bind(key: ScopeKey, parent: ScopeNode<Layer>): ScopeNode<Layer> {
    if ((typeof key !== 'object' || key === null) && typeof key !== 'function') throw new TypeError('A scope key must be an object.')
    if (parent.disposed) throw new Error('Cannot make a child scope: its parent has been disposed.')
    if (this.#byKey.has(key))
      throw new TypeError('This key has been bound to a scope before. A key is bound once, even after its scope is disposed.')
    const node = new ScopeNode(this.#createLayer(), parent, key)
    this.#byKey.set(key, node)
    return node
  }

  /**
   * The scope a key names. Undefined, and a key that was never bound, name the root; a disposed key names its disposed
   * scope, which must not fall back to anything.
   */
  at(key: ScopeKey | undefined): ScopeNode<Layer> {
    return (key === undefined ? undefined : this.#byKey.get(key)) ?? this.root
  }
}
