import { expect, onTestFinished, test } from 'vitest'
import { commandsWith, markedSleep } from '../../test/processes.ts'
import { type CommandSpec, type RunningCommand, startCommand } from './start-command.ts'

const env = { PATH: process.env['PATH'] ?? '' }

/** A running command whose output is gathered and can be waited for. */
async function start(command: string, options: Partial<CommandSpec> = {}) {
  let text = ''
  let look = () => {}
  const running = await startCommand({
    command,
    cwd: '/',
    env,
    killGraceMs: 200,
    onOutput: (_stream, chunk) => {
      text += chunk
      look()
    },
    ...options,
  })
  onTestFinished(() => running.kill())
  const says = (words: string) =>
    new Promise<void>((resolve) => {
      look = () => text.includes(words) && resolve()
      look()
    })
  return { running, says, text: () => text }
}

const durationOf = async (running: RunningCommand) => {
  const from = performance.now()
  await running.ended
  return performance.now() - from
}

test('a command ends with its exit code, after all of its output', async () => {
  const { running, text } = await start('echo out; echo err >&2; exit 3')
  expect(await running.ended).toEqual({ exitCode: 3, signal: null, endedChildren: false, mayStillRun: false })
  expect(text().split('\n').sort()).toEqual(['', 'err', 'out'])
})

test('a command that a signal ends has that signal', async () => {
  const { running } = await start('kill -KILL $$')
  expect(await running.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
})

test('a command has no input to wait for', async () => {
  const { running, text } = await start('cat; echo done')
  await running.ended
  expect(text()).toBe('done\n')
})

test('a folder that is not there is an error of the start, and nothing is left', async () => {
  await expect(start('true', { cwd: '/does/not/exist' })).rejects.toMatchObject({ code: 'ENOENT' })
})

test('BASH_ENV is not run', async () => {
  const { running, text } = await start('echo done', { env: { ...env, BASH_ENV: '/proc/self/environ' } })
  await running.ended
  expect(text()).toBe('done\n')
})

test('a background child that holds the pipe ends with its shell', async () => {
  const sleep = markedSleep()
  const { running, text } = await start(`sleep ${sleep} & echo started`)
  expect(await running.ended).toMatchObject({ exitCode: 0, endedChildren: true, mayStillRun: false })
  expect(text()).toBe('started\n')
  expect(commandsWith(sleep)).toEqual([])
})

test('what a background child says after its shell has ended is not lost', async () => {
  const { running, text } = await start('(while kill -0 $$; do :; done 2>&-; echo late) & sleep 0.3', { quietMs: 60_000 })
  expect(await running.ended).toMatchObject({ endedChildren: false })
  expect(text()).toBe('late\n')
})

test('a background child that never stops talking is ended, too', async () => {
  const { running } = await start('yes &')
  expect(await running.ended).toMatchObject({ exitCode: 0, endedChildren: true, mayStillRun: false })
})

test('kill ends the shell and its background children', async () => {
  const sleep = markedSleep()
  const { running, says } = await start(`sleep ${sleep} & echo started; sleep ${sleep}`)
  await says('started')
  running.kill()
  running.kill()
  expect(await running.ended).toMatchObject({ exitCode: null, signal: 'SIGTERM', endedChildren: false, mayStillRun: false })
  expect(commandsWith(sleep)).toEqual([])
})

test('a grandchild that ignores TERM and keeps the pipe open is killed after the grace', async () => {
  const sleep = markedSleep()
  const { running, says } = await start(`(trap '' TERM; echo deaf; sleep ${sleep}; sleep ${sleep}) & wait`)
  await says('deaf')
  running.kill()
  expect(await durationOf(running)).toBeGreaterThanOrEqual(190)
  expect(await running.ended).toMatchObject({ mayStillRun: false })
  expect(commandsWith(sleep)).toEqual([])
})

test.runIf(process.platform === 'linux')('a process that left the group is found by its environment', async () => {
  const sleep = markedSleep()
  const { running, says } = await start(`setsid sleep ${sleep} & echo started; wait`)
  await says('started')
  running.kill()
  expect(await running.ended).toMatchObject({ mayStillRun: false })
  expect(commandsWith(sleep)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'a process that hides and keeps the pipe open does not hold up the end, which says so',
  async () => {
    const { running, says, text } = await start('env -i setsid sh -c \'echo "pid $$;"; exec sleep 3000\' & wait')
    await says(';')
    running.kill()
    expect(await running.ended).toMatchObject({ mayStillRun: true })
    process.kill(Number(/\d+/.exec(text())?.[0]), 'SIGKILL')
  },
)

test('a command that is killed in the turn of the event loop in which it started is ended', async () => {
  const sleep = markedSleep()
  const { running: first } = await start(`sleep ${sleep}`)
  first.kill() // looks through the processes, of which the second is none yet
  const { running: second } = await start(`sleep ${sleep}`)
  second.kill()
  expect(await second.ended).toMatchObject({ signal: 'SIGTERM', mayStillRun: false })
  await first.ended
  expect(commandsWith(sleep)).toEqual([])
})

test('a process that is stopped hears TERM, and need not be killed', async () => {
  const { running, says } = await start("trap 'echo told; exit 7' TERM; echo started; kill -STOP $$; echo went on", { killGraceMs: 60_000 })
  await says('started')
  running.kill()
  expect(await running.ended).toMatchObject({ exitCode: 7, mayStillRun: false })
})

test('a command waits while its output cannot be taken', async () => {
  let letGo = () => {}
  let bytes = 0
  const { running } = await start('head -c 5000000 /dev/zero', {
    onOutput: (_stream, chunk) => {
      bytes += chunk.length
      return new Promise<void>((resolve) => {
        const before = letGo
        letGo = () => (before(), resolve())
      })
    },
  })
  let settled = false
  void running.ended.then(() => {
    settled = true
  })
  const pump = async () => {
    while (!settled) {
      expect(bytes).toBeLessThanOrEqual(5_000_000)
      letGo()
      await new Promise(setImmediate)
    }
  }
  await pump()
  expect(bytes).toBe(5_000_000)
})

test('a command whose output is never taken can still be killed', async () => {
  let taken = () => {}
  const first = new Promise<void>((resolve) => {
    taken = resolve
  })
  const { running } = await start('yes', {
    onOutput: () => {
      taken()
      return new Promise(() => {})
    },
  })
  await first
  running.kill()
  expect(await running.ended).toMatchObject({ mayStillRun: false })
})
