import { readdirSync, readFileSync } from 'node:fs'

/** Groups that still run: none of them survives the host process. */
const openGroups = new Set<ProcessGroup>()

/**
 * The processes of one command: the group of its shell and, where the system shows the environment of processes (Linux), those that
 * left the group and still carry the command's mark in it.
 */
export class ProcessGroup {
  readonly #leader: number
  readonly #mark: string

  /**
   * From now on they are killed when the host process exits by itself, until `release`.
   * @param leader - process id of the group's leader.
   * @param mark - text that stands in the environment of the command and nowhere else.
   */
  constructor(leader: number, mark: string) {
    this.#leader = leader
    this.#mark = mark
    if (openGroups.size === 0) process.on('exit', killOpenGroups)
    seen = undefined // its leader may be younger than what has been seen
    openGroups.add(this)
  }

  /** None of its processes runs any more, as far as this user may know. */
  get isGone(): boolean {
    return this.#targets().length === 0
  }

  /** Send signals to all of them, in this order. */
  signal(...names: readonly NodeJS.Signals[]): void {
    for (const target of this.#targets()) {
      try {
        for (const name of names) process.kill(target, name)
      } catch {
        // It ended meanwhile, or belongs to another user (sudo): isGone tells the two apart.
      }
    }
  }

  /** Settles when all processes have ended: TERM now, KILL after the grace. @returns false when some cannot be ended. */
  async end(graceMs: number): Promise<boolean> {
    this.signal('SIGTERM', 'SIGCONT') // one that is stopped hears the first only when it goes on
    if (await until(() => this.isGone, graceMs)) return true
    return until(() => {
      this.signal('SIGKILL') // again each time: one that forked meanwhile has left a child
      return this.isGone
    }, KILL_BOUND_MS)
  }

  /** The host need not kill it any more. */
  release(): void {
    openGroups.delete(this)
    if (openGroups.size === 0) process.off('exit', killOpenGroups)
  }

  /** What `process.kill` takes: the negative group, single processes. Zombies are nobody: who adopted them may never reap them. */
  #targets(): number[] {
    const processes = livingProcesses()
    if (processes === undefined) return isAlive(-this.#leader) ? [-this.#leader] : []
    let inGroup = false
    const escaped: number[] = []
    for (const process of processes) {
      if (process.group === this.#leader) inGroup = true
      else if (environmentOf(process).includes(this.#mark)) escaped.push(process.pid)
    }
    return inGroup ? [-this.#leader, ...escaped] : escaped
  }
}

/** How long KILL may take: a process inside a system call that cannot be interrupted ignores it. */
const KILL_BOUND_MS = 2_000
const FIRST_LOOK_MS = 1
const LAST_LOOK_MS = 50

/**
 * Look, ever less often, until it is so or the time is over. Each look comes after a read of what waits in the pipes, also when the
 * event loop was held up for longer than the time. @returns whether it is so.
 */
export async function until(isSo: () => boolean, boundMs: number): Promise<boolean> {
  const endsAt = performance.now() + boundMs
  for (let lookMs = FIRST_LOOK_MS; !isSo(); lookMs = Math.min(2 * lookMs, LAST_LOOK_MS)) {
    if (performance.now() >= endsAt) return false
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve), lookMs))
  }
  return true
}

function killOpenGroups(): void {
  for (const group of openGroups) group.signal('SIGKILL')
}

/** A process that runs. */
interface LivingProcess {
  readonly pid: number
  readonly group: number
  /** What it was started with, once somebody has asked; empty when it is gone or another user's. */
  environment?: string
}

/** Many groups look in the same turn of the event loop, and one walk through all processes serves them all. */
let seen: readonly LivingProcess[] | undefined

/** All processes but zombies; undefined where the system does not list them as files. */
function livingProcesses(): readonly LivingProcess[] | undefined {
  if (process.platform !== 'linux') return undefined
  if (seen === undefined) {
    setImmediate(() => {
      seen = undefined
    })
    seen = listProcesses()
  }
  return seen
}

function listProcesses(): readonly LivingProcess[] | undefined {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .flatMap((pid) => {
        const [state, , group] = statusOf(pid)
        return state === undefined || state === 'Z' || state === 'X' ? [] : [{ pid, group: Number(group) }]
      })
  } catch {
    return undefined // not mounted: the group is all that can be known
  }
}

/** State, parent and group of a process; nothing when it is gone. */
function statusOf(pid: number): string[] {
  const status = readProcess(pid, 'stat')
  return status === '' ? [] : status.slice(status.lastIndexOf(')') + 2).split(' ', 3)
}

function environmentOf(process: LivingProcess): string {
  process.environment ??= readProcess(process.pid, 'environ')
  return process.environment
}

function readProcess(pid: number, file: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return '' // gone since it was listed, or not ours to read
  }
}

function isAlive(target: number): boolean {
  try {
    process.kill(target, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
