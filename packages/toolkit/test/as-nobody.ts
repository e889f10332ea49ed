import { chmod } from 'node:fs/promises'

/** Run as a user who may not read everything: root steps down for the while. */
export async function asNobody(root: string, run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run()
  await chmod(root, 0o755)
  process.seteuid?.(65_534)
  try {
    await run()
  } finally {
    process.seteuid?.(0)
  }
}
