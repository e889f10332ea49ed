/** Gives back the object it is made with, so that a subclass adds its private fields to that one. */
class Given {
  constructor(target: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is the whole point, see above
    return target
  }
}

/**
 * What is known of a snapshot, kept on the object itself in private fields: nobody else can see or forge it, and it costs a
 * tenth of a WeakMap. Set before the object is frozen; private fields stay writable then.
 */
class Mark extends Given {
  readonly #bytes: number
  #acceptedBy: unknown = undefined

  constructor(target: object, bytes: number) {
    super(target)
    this.#bytes = bytes
  }

  static bytesOf(target: object): number | undefined {
    return #bytes in target ? (target as Mark).#bytes : undefined
  }

  static isAcceptedBy(target: object, schema: unknown): boolean {
    return #bytes in target && (target as Mark).#acceptedBy === schema
  }

  static accept(target: object, schema: unknown): void {
    if (#bytes in target) (target as Mark).#acceptedBy = schema
  }
}

/** Mark the root of a snapshot, which is about to be frozen. @param bytes - about the length of its JSON text. */
export function markSnapshot(root: object, bytes: number): void {
  new Mark(root, bytes)
}

/** The size of a snapshot by its root; undefined for any other object. */
export function snapshotBytes(value: object): number | undefined {
  return Mark.bytesOf(value)
}

/** Whether a snapshot is known to be valid for a schema: the last one that accepted it. */
export function isAcceptedBy(value: object, schema: unknown): boolean {
  return Mark.isAcceptedBy(value, schema)
}

/** Remember that a schema accepted a snapshot. Anything else may change, and is not remembered. */
export function markAccepted(value: object, schema: unknown): void {
  Mark.accept(value, schema)
}
