import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Its input ends with the host, however that ends: no signal handler of ours is needed, and SIGKILL counts, too. Then the group goes, and
 * on Linux whatever has the mark in its environment.
 */
const SCRIPT = `read -r group
read -r _
[ -z "$group" ] || kill -s KILL -- "-$group"
for file in $(grep -ls -e "$0" /proc/[0-9]*/environ); do
  pid=\${file#/proc/}
  kill -s KILL "\${pid%/environ}"
done`

/** Kills the processes of a command as soon as this process is gone, until it is called off. Costs one sleeping shell. */
export class Watchdog {
  readonly #shell: ChildProcess

  /**
   * To be made before the command starts.
   * @param mark - text that will stand in the environment of the command and nowhere else.
   */
  constructor(mark: string) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, mark], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      detached: true, // an interrupt from the terminal ends the host, and not the watchdog before it has done its work
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // Where no further process can be started, or it was killed, a command still ends with a host that exits by itself.
    this.#shell.on('error', () => undefined)
    this.#shell.stdin?.on('error', () => undefined)
  }

  /** @param group - id of the command's process group. */
  guard(group: number): void {
    this.#shell.stdin?.write(`${group}\n`)
  }

  /** It must not kill any more: the number of the group may soon be another's. */
  callOff(): void {
    this.#shell.kill('SIGKILL')
  }
}
