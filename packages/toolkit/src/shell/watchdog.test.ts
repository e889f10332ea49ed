import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, type ReadStream } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { commandsWith, markedSleep } from '../../test/processes.ts'
import { tempFolder } from '../../test/temp-folder.ts'

const HOST = fileURLToPath(new URL('../../test/children/shell-host.mjs', import.meta.url))

/** What ends a host, which does nothing about it. */
const ENDS: Readonly<Record<string, (host: ChildProcess) => void>> = {
  'exits by itself': (host) => host.stdin?.write('!'),
  'is ended by SIGTERM': (host) => host.kill('SIGTERM'),
  'is ended by SIGINT': (host) => host.kill('SIGINT'),
  'is ended by SIGKILL': (host) => host.kill('SIGKILL'),
}

/** A deaf child in the background. */
const deaf = (sleep: string) => `trap '' TERM; (sleep ${sleep}; sleep ${sleep}) &`

/** A host whose command holds a pipe for as long as any process of it lives. */
async function hostWith(sleep: string, child: string, where: string): Promise<{ readonly host: ChildProcess; readonly pipe: ReadStream }> {
  const folder = await tempFolder()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const command = `exec 3> pipe; ${child} echo up >&3; sleep ${sleep}; sleep ${sleep}`
  const host = spawn(process.execPath, [HOST, command, where], { cwd: folder, stdio: ['pipe', 'inherit', 'inherit'] })
  onTestFinished(() => void host.kill('SIGKILL'))
  const pipe = createReadStream(join(folder, 'pipe'))
  await once(pipe, 'data')
  return { host, pipe }
}

async function survivors(child: (sleep: string) => string, end: (host: ChildProcess) => void, where = ''): Promise<string[]> {
  const sleep = markedSleep()
  const { host, pipe } = await hostWith(sleep, child(sleep), where)
  const closed = once(pipe, 'end')
  end(host)
  await closed
  return commandsWith(sleep)
}

test.each(Object.entries(ENDS))('no process of a command survives a host that %s', async (_, end) => {
  expect(await survivors(deaf, end)).toEqual([])
})

test.each(Object.entries(ENDS))('no process of a background job survives a host that %s', async (_, end) => {
  expect(await survivors(deaf, end, 'background')).toEqual([])
})

test.runIf(process.platform === 'linux')('a process that left the group does not survive a host that is killed', async () => {
  expect(
    await survivors(
      (sleep) => `setsid sleep ${sleep} &`,
      (host) => host.kill('SIGKILL'),
    ),
  ).toEqual([])
})

test('a host that exits by itself kills its commands also where no watchdog runs', async () => {
  const withoutWatchdog = (host: ChildProcess) => {
    execFileSync('pkill', ['-KILL', '-P', String(host.pid), '-f', 'read -r _'])
    host.stdin?.write('!')
  }
  expect(await survivors(deaf, withoutWatchdog)).toEqual([])
})
