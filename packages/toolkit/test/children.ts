import { execFileSync } from 'node:child_process'

/** Command lines of this process's living children, `ps` itself apart. */
export function childCommands(): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'ppid=,pid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return rows
    .map((row) => /^\s*(\d+)\s+\d+\s+(\S+)\s+(.*)$/.exec(row))
    .filter((row) => row !== null && Number(row[1]) === process.pid && !(row[2] as string).startsWith('Z'))
    .map((row) => (row as RegExpExecArray)[3] as string)
    .filter((command) => !command.startsWith('ps '))
}
