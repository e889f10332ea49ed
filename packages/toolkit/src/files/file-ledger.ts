import type { Agent } from '@dsh/tools'
import type { FileVersion } from './file-version.ts'

const MAX_FILES = 10_000

/** Which files an agent has seen, and in which version: what it knows when it writes. */
export interface FileLedger {
  /** Keep what an agent has seen, or written. @param key - of the file, as its tools declare it in `access`. */
  note(agent: Agent | undefined, key: string, version: FileVersion): void
  /** The version an agent saw last; undefined when it never saw the file, or 10,000 others since. */
  lastSeen(agent: Agent | undefined, key: string): FileVersion | undefined
}

declare module '@dsh/tools/ports' {
  interface Services {
    /** Which files each agent has seen. Provided by `fileTools`. */
    fileLedger: FileLedger
  }
}

/** A ledger in memory. An agent's page goes with the agent; calls without one share a page. */
export function createFileLedger(): FileLedger {
  const nobody = {}
  const pages = new WeakMap<object, Map<string, FileVersion>>()
  return {
    note(agent, key, version) {
      const page = pages.get(agent ?? nobody) ?? new Map<string, FileVersion>()
      pages.set(agent ?? nobody, page)
      page.delete(key) // so that it comes last
      page.set(key, version)
      const oldest = page.size > MAX_FILES ? page.keys().next().value : undefined
      if (oldest !== undefined) page.delete(oldest)
    },
    lastSeen: (agent, key) => pages.get(agent ?? nobody)?.get(key),
  }
}
