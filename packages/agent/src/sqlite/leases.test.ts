import { readFileSync } from 'node:fs'
import { createFakeClock } from '@dsh/tools/testing'
import { describe, expect, test, vi } from 'vitest'
import { startChild } from '../../test/child.ts'
import { inDatabase, withStore, workspace } from '../../test/sqlite-folder.ts'
import { openSession } from '../log/open-session.ts'
import { openSqliteStore } from './door.ts'
import { isAlive, ownIdentity } from './process-identity.ts'

interface Said {
  readonly pid: number
  readonly heldBy: { readonly pid: number; readonly host: string } | null
}

/** A store whose session `s` is held by whoever `holder` names. */
async function heldBy(holder: object, renewed: number, clock = createFakeClock(1_000_000)) {
  const { folder, file } = workspace()
  const store = await openSqliteStore({ folder, clock })
  await store.create('s', 1)
  const row = JSON.stringify({ ...ownIdentity(), since: 5, ...holder })
  inDatabase(file, (db) => db.prepare('UPDATE sessions SET lease = ?, holder = ?, renewed = ?').run('lease', row, renewed))
  return { store, clock, file }
}

const elsewhere = { host: 'far', pid: 1, realm: 'another machine', started: '1' }

describe('a lease between processes', () => {
  test('of two that race for a session one writes, and the other is told by whom it is held', async () => {
    const { folder } = workspace()
    const children = [startChild('hold.mjs', [folder, 's']), startChild('hold.mjs', [folder, 's'])]
    const said = (await Promise.all(children.map((child) => child.line()))) as Said[]
    const [writer, ...others] = said.filter((each) => each.heldBy === null)
    expect(others).toEqual([])
    const reader = said.find((each) => each.heldBy !== null)
    expect(reader?.heldBy).toMatchObject({ pid: writer?.pid, host: ownIdentity().host })
  })

  test('a holder that lives keeps it, and one that was killed is replaced at once', async () => {
    const { folder } = workspace()
    const child = startChild('hold.mjs', [folder, 's'])
    const { pid } = (await child.line()) as Said
    await withStore(folder, async (store) => expect((await openSession(store, 's')).heldBy?.pid).toBe(pid))
    await child.kill()
    await withStore(folder, async (store) => {
      expect((await store.find('s')).holder).toBeUndefined()
      expect((await openSession(store, 's')).heldBy).toBeUndefined()
    })
  })

  test.skipIf(process.platform !== 'linux')('a holder that was killed is replaced also when its parent never asks for it', async () => {
    const { folder } = workspace()
    const parent = startChild('hold.mjs', [folder, 's'], 'exec 3<&0; "$@" <&3 & exec sleep 600')
    const { pid } = (await parent.line()) as Said
    process.kill(pid, 'SIGKILL')
    await withStore(folder, async (store) => {
      await vi.waitFor(async () => expect((await store.find('s')).holder).toBeUndefined())
      expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
      expect((await store.acquire('s')).kind).toBe('acquired')
    })
  })

  test('two that write different sessions at once wait for each other', async () => {
    const { folder } = workspace()
    const children = ['a', 'b'].map((id) => startChild('write.mjs', [folder, id, '100']))
    await Promise.all(children.map((child) => child.line()))
    for (const child of children) child.process.stdin?.write('go\n')
    expect(await Promise.all(children.map((child) => child.line()))).toEqual([{ written: 100 }, { written: 100 }])
    await withStore(folder, async (store) => {
      const ends = ['a', 'b'].map(async (id) => (await store.find(id)).events)
      expect(await Promise.all(ends)).toEqual([100, 100])
    })
  })

  test('a holder that ends gives it back', async () => {
    const { folder } = workspace()
    const child = startChild('hold.mjs', [folder, 's'])
    await child.line()
    child.process.stdin?.end()
    await new Promise((resolve) => child.process.once('exit', resolve))
    expect(inDatabase(`${folder}/.dsh/sessions.db`, (db) => db.prepare('SELECT lease, holder, renewed FROM sessions').all())).toEqual([
      { lease: null, holder: null, renewed: null },
    ])
  })
})

describe('a holder', () => {
  test('whose pid is that of a later process is dead', async () => {
    const { store } = await heldBy({ started: '1' }, 1_000_000)
    expect((await store.acquire('s')).kind).toBe('acquired')
  })

  test('of another machine or container lives for 60 s after its last sign', async () => {
    const { store, clock } = await heldBy(elsewhere, 1_000_000)
    expect(await store.acquire('s')).toEqual({ kind: 'held', holder: { host: 'far', pid: 1, since: 5 } })
    clock.advance(59_999)
    expect((await store.acquire('s')).kind).toBe('held')
    clock.advance(1)
    expect((await store.acquire('s')).kind).toBe('acquired')
  })

  test('whose last sign lies in the future lives: a clock jumped back', async () => {
    const { store } = await heldBy(elsewhere, 9_000_000)
    expect((await store.acquire('s')).kind).toBe('held')
  })

  test('on this machine lives or not whatever the clocks say', async () => {
    const { store, clock } = await heldBy({}, 0)
    clock.advance(1e9)
    expect((await store.acquire('s')).kind).toBe('held')
  })

  test('gives signs while it holds anything, and none after', async () => {
    const { folder, file } = workspace()
    const clock = createFakeClock(0)
    const store = await openSqliteStore({ folder, clock })
    await store.create('s', 1)
    const answer = await store.acquire('s')
    const renewed = () => inDatabase(file, (db) => db.prepare('SELECT renewed FROM sessions').all())
    expect(renewed()).toEqual([{ renewed: 0 }])
    clock.advance(31_000)
    expect(renewed()).toEqual([{ renewed: 30_000 }])
    expect(clock.pending).toBe(1)
    if (answer.kind === 'acquired') await store.release('s', answer.lease)
    expect([clock.pending, renewed()]).toEqual([0, [{ renewed: null }]])
    await store.close()
  })

  test('that was taken over by mistake writes nothing more', async () => {
    const { folder, file } = workspace()
    await withStore(folder, async (store) => {
      const session = await openSession(store, 's', { create: true })
      inDatabase(file, (db) => db.exec(`UPDATE sessions SET lease = 'of another'`))
      await expect(session.append({ type: 'x', data: 1 }, { durable: true })).rejects.toMatchObject({ code: 'SESSION_LEASE_LOST' })
      expect(await store.read('s', { after: 0, limit: 10 })).toEqual([])
      await session.close().catch(() => undefined) // it says so again
      expect(inDatabase(file, (db) => db.prepare('SELECT lease FROM sessions').all())).toEqual([{ lease: 'of another' }])
    })
  })
})

test('this process lives, one of that pid that was started at another time does not, and of another realm nobody knows', () => {
  const own = ownIdentity()
  expect(isAlive(own)).toBe(true)
  expect(isAlive({ ...own, started: `${own.started}1` })).toBe(false)
  expect(isAlive({ ...own, pid: 2 ** 22 + 1 })).toBe(false)
  expect(isAlive({ ...own, realm: 'other' })).toBeUndefined()
})
