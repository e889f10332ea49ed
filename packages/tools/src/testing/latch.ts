/** A promise that a test settles: what a body waits at. */
export interface Latch<T = void> {
  readonly opened: Promise<T>
  open(value: T): void
  fail(error: unknown): void
}

/** Make a latch. */
export function createLatch<T = void>(): Latch<T> {
  let open!: (value: T) => void
  let fail!: (error: unknown) => void
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { opened, open, fail }
}
