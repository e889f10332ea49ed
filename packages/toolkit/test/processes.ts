import { execFileSync } from 'node:child_process'

/** Command lines of living processes that hold a mark, such as a number nobody else sleeps for. */
export function commandsWith(mark: string): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' }).split('\n')
  return rows.filter((row) => row.includes(mark) && !row.startsWith('Z')).map((row) => row.trim())
}

let marks = 0

/** A number of seconds to sleep for that marks the processes of one test. */
export function markedSleep(): string {
  return `${3_000 + process.pid}.${String(++marks).padStart(6, '0')}`
}
