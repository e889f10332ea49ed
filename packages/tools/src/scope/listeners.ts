/** A listener with its place in the order of the whole runtime. */
export interface Listener {
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own signature; `on` of the host types it, the kernel only calls it
  readonly call: (this: any, ...args: any[]) => unknown
  /** Who it is, for messages: the plugin that added it, or the function's name. */
  readonly label: string
  readonly order: number
}

/** What this file needs of a scope. */
export interface ListeningScope {
  readonly parent: ListeningScope | undefined
  /** Listeners added here, by event. */
  readonly listeners: OwnListeners
  /** Grows whenever `listeners` changes; the sum over a chain of scopes is the revision of what is heard there. */
  listenersVersion: number
  listenerTable: ListenerTable | undefined
}

/** The listeners of one scope, by event, each list in order. */
export type OwnListeners = Map<string, Listener[]>

const NONE: readonly Listener[] = []
let newest = 0
let foremost = 0

/** What is heard in one scope: its own listeners and those of every scope above, in one order. Immutable. */
export class ListenerTable {
  readonly revision: number
  readonly #lists: ReadonlyMap<string, readonly Listener[]>

  constructor(revision: number, lists: ReadonlyMap<string, readonly Listener[]>) {
    this.revision = revision
    this.#lists = lists
  }

  of(event: string): readonly Listener[] {
    return this.#lists.get(event) ?? NONE
  }
}

/** Add a listener behind all others of the runtime or, with `prepend`, before them. @returns what removes it. */
export function addListener(
  node: ListeningScope,
  event: string,
  listener: { readonly call: Listener['call']; readonly label: string; readonly prepend?: boolean },
): () => void {
  const added: Listener = { call: listener.call, label: listener.label, order: listener.prepend ? --foremost : ++newest }
  const change = (edit: (list: readonly Listener[]) => Listener[]) => {
    node.listeners.set(event, edit(node.listeners.get(event) ?? NONE))
    node.listenersVersion++
  }
  change((list) => (listener.prepend ? [added, ...list] : [...list, added]))
  return () => change((list) => list.filter((entry) => entry !== added))
}

/** The table of a scope, cached until a listener comes or goes there or above. */
export function listenersAt(node: ListeningScope): ListenerTable {
  let revision = 0
  for (let at: ListeningScope | undefined = node; at; at = at.parent) revision += at.listenersVersion
  if (node.listenerTable?.revision !== revision) node.listenerTable = new ListenerTable(revision, merge(node))
  return node.listenerTable
}

function merge(node: ListeningScope): Map<string, Listener[]> {
  const lists = new Map<string, Listener[]>()
  for (let at: ListeningScope | undefined = node; at; at = at.parent) {
    for (const [event, own] of at.listeners) {
      const list = lists.get(event)
      if (list) list.push(...own)
      else lists.set(event, [...own])
    }
  }
  for (const list of lists.values()) list.sort((a, b) => a.order - b.order)
  return lists
}
