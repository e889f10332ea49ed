import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** What tells one process from every other, also from a later one that gets its pid. */
export interface ProcessIdentity {
  readonly host: string
  readonly pid: number
  /** Within which `pid` means this process: the machine since it was started, and the pid namespace of a container. */
  readonly realm: string
  /** When the process was started, as its machine counts it; empty where that cannot be told. */
  readonly started: string
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { host: hostname(), pid: process.pid, realm: ownRealm(), started: startOf(process.pid) ?? '' }
}

/** Whether a process lives; undefined when it is of another machine or container, where nobody can see it from here. */
export function isAlive(identity: ProcessIdentity): boolean | undefined {
  if (identity.realm !== ownRealm()) return undefined
  const started = startOf(identity.pid)
  if (started !== undefined) return started === identity.started
  return identity.started === '' && isSignalled(identity.pid)
}

/** The name of the machine counts only where there is nothing better: it may change while a process runs. */
function ownRealm(): string {
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = read(() => readlinkSync('/proc/self/ns/pid'))
  return boot && namespace ? `${boot}/${namespace}` : hostname()
}

/**
 * The 22nd field of /proc/PID/stat. The second is a name in parentheses that may hold anything: what counts comes after the last of them. A process
 * that has ended stays there as a zombie until its parent asks for it, which in a container may be never.
 */
function startOf(pid: number): string | undefined {
  return read(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /[ZXx]/.test(fields[0] as string) ? undefined : fields[19]
  })
}

function isSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it is there, and another user's
  }
}

function read<T>(file: () => T): T | undefined {
  try {
    return file()
  } catch {
    return undefined // no /proc here, or no such process
  }
}
