import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import { describe, expect, test } from 'vitest'
import { startChild } from '../../test/child.ts'
import { asNobody, inDatabase, withStore, workspace } from '../../test/sqlite-folder.ts'
import { openSession } from '../log/open-session.ts'
import { readEvents } from '../log/read-events.ts'
import { openSqliteStore } from './door.ts'
import { openDatabase } from './open-database.ts'

/** A session of so many events, each with a text that names it. */
async function filled(folder: string, id: string, count: number): Promise<void> {
  await withStore(folder, async (store) => {
    const session = await openSession(store, id, { create: true })
    for (let n = 1; n <= count; n++) await session.append({ type: 'note', data: `${id} event ${n} ${'x'.repeat(400)}` })
    await session.close()
  })
}

const read = (folder: string, id: string) => withStore(folder, (store) => readEvents(store, id))
const refusal = (folder: string) => openSqliteStore({ folder }).catch((error: unknown) => error)

describe('the file', () => {
  test('lies in .dsh of the workspace, keeps itself out of version control, and is synced at every commit', async () => {
    const { folder, file } = workspace()
    await withStore(folder, (store) => store.create('s', 1))
    expect(readFileSync(join(folder, '.dsh', '.gitignore'), 'utf8')).toBe('*\n')
    const db = openDatabase(Database, file)
    expect([db.prepare('PRAGMA journal_mode').all(), db.prepare('PRAGMA synchronous').all()]).toEqual([
      [{ journal_mode: 'wal' }],
      [{ synchronous: 2 }],
    ])
    db.close()
  })

  test('holds everything by itself once it is closed', async () => {
    const { folder, file } = workspace()
    await filled(folder, 's', 10)
    const copy = workspace()
    mkdirSync(dirname(copy.file))
    writeFileSync(copy.file, readFileSync(file))
    expect((await read(copy.folder, 's')).events).toHaveLength(10)
  })

  test('processes that make it at once all use it', async () => {
    const { folder } = workspace()
    const ids = ['a', 'b', 'c']
    const children = ids.map((id) => startChild('open.mjs', [id]))
    const said = () => Promise.all(children.map((child) => child.line()))
    await said()
    for (let round = 0; round < 40; round++) {
      const each = join(folder, String(round))
      for (const child of children) child.process.stdin?.write(`${each}\n`)
      expect(await said()).toEqual([null, null, null])
      expect(await withStore(each, async (store) => (await store.list()).map(({ id }) => id).sort())).toEqual(ids)
    }
  })

  test.each([
    [
      'a newer schema',
      (db: Database.Database) => db.exec('PRAGMA user_version = 2'),
      /it has schema 2, and this dsh knows 1\. .*newer one, or move/,
    ],
    [
      'another program',
      (db: Database.Database) => db.exec('PRAGMA application_id = 7'),
      /a database of another program \(application id 7, 2 tables\)/,
    ],
  ])('of %s is refused, and left as it is', async (_name, change, problem) => {
    const { folder, file } = workspace()
    await withStore(folder, (store) => store.create('s', 1))
    inDatabase(file, (db) => {
      change(db)
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    })
    const before = readFileSync(file)
    const error = await refusal(folder)
    expect(error).toMatchObject({ code: 'STORE_UNUSABLE' })
    expect(String(error)).toContain(file)
    expect(String(error)).toMatch(problem)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('that is no database, or a table of somebody else, is refused, and left as it is', async () => {
    const { folder, file } = workspace()
    mkdirSync(dirname(file))
    writeFileSync(file, 'these are my notes\n'.repeat(300))
    expect(String(await refusal(folder))).toMatch(/it is no SQLite database. Move it aside/)
    expect(readFileSync(file, 'utf8')).toMatch(/^these are my notes/)
    rmSync(file)
    inDatabase(file, (db) => db.exec('CREATE TABLE mine (a); PRAGMA wal_checkpoint(TRUNCATE)'))
    expect(String(await refusal(folder))).toMatch(/another program \(application id 0, 1 tables\)/)
  })
})

describe('what cannot be read', () => {
  test('a damaged page: the events before it can be, the session cannot be written, and others are whole', async () => {
    const { folder, file } = workspace()
    await filled(folder, 'hurt', 2_000)
    await filled(folder, 'whole', 50)
    const bytes = readFileSync(file)
    const at = bytes.indexOf('hurt event 1500 ')
    const page = at - (at % 4_096)
    bytes.fill(0xa5, page, page + 4_096)
    writeFileSync(file, bytes)
    const { events, broken } = await read(folder, 'hurt')
    expect(events.length).toBeGreaterThan(1_000)
    expect(events.length).toBeLessThan(1_500)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(broken?.code).toBe('SESSION_LOG_BROKEN')
    expect(broken?.message).toContain(`event ${events.length + 1} of the session hurt cannot be read`)
    await withStore(folder, async (store) => {
      await expect(openSession(store, 'hurt')).rejects.toMatchObject({ code: 'SESSION_LOG_BROKEN' })
      expect((await store.find('hurt')).holder).toBeUndefined()
    })
    expect((await read(folder, 'whole')).events).toHaveLength(50)
  })

  test.each([
    ['an event that is no JSON', `UPDATE events SET data = '{"torn' WHERE place % 4294967296 = 4`],
    ['a gap', 'DELETE FROM events WHERE place % 4294967296 = 4'],
    ['an end that is missing', 'DELETE FROM events WHERE place % 4294967296 > 3'],
    ['a type that nobody wrote', `UPDATE events SET type = '"torn' WHERE place % 4294967296 = 4`],
  ])('%s is named, and what is before it can be read', async (_name, sql) => {
    const { folder, file } = workspace()
    await filled(folder, 's', 5)
    inDatabase(file, (db) => db.exec(sql))
    const { events, broken } = await read(folder, 's')
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(broken?.message).toMatch(/event 4 of the session s cannot be read: .*The 3 before it can be read/)
  })
})

test('a call that is no JSON leaves the other sessions in a list by tool', async () => {
  const { folder, file } = workspace()
  const call = { turn: 1, step: 1, callId: 'c', name: 'read', arguments: '{}' }
  await withStore(folder, async (store) => {
    for (const id of ['hurt', 'whole']) {
      const session = await openSession(store, id, { create: true })
      await session.append({ type: 'tool/call', data: call })
      await session.close()
    }
    inDatabase(file, (db) => db.exec(`UPDATE events SET data = '{"torn' WHERE type = 'tool/call' AND place < 2 * 4294967296`))
    expect((await store.list({ tool: 'read' })).map(({ id }) => id)).toEqual(['whole'])
  })
})

test('without the package libsql it is said how to get it', async () => {
  const said = await startChild('no-libsql.mjs', [workspace().folder]).line()
  expect(said).toEqual({ code: 'STORE_UNUSABLE', message: expect.stringContaining('npm install libsql') })
})

describe('what cannot be written', () => {
  test('a full disk: what was acknowledged is there, the rest is not, and the writer is told', async () => {
    const { folder, file } = workspace()
    const child = startChild('fill.mjs', [folder], 'ulimit -f 1500; trap "" XFSZ')
    const said = (await child.line()) as { acknowledged: number; code: string; message: string; events: number }
    await child.kill()
    expect(said.code).toBe('SESSION_WRITE_FAILED')
    expect(said.message).toContain(file)
    expect(said.message).toMatch(/the disk (is full|failed)/)
    expect(said.acknowledged).toBeGreaterThan(10)
    expect(said.events).toBe(said.acknowledged)
    const { events, broken } = await read(folder, 's')
    expect([events.length, broken]).toEqual([said.acknowledged, undefined])
    expect(inDatabase(file, (db) => db.prepare('PRAGMA integrity_check').all())).toEqual([{ integrity_check: 'ok' }])
    await withStore(folder, async (store) => expect((await openSession(store, 's')).heldBy).toBeUndefined())
  })

  test.each([true, false])(
    'a read-only folder: it is read all the same, and whoever writes is told (log files there: %s)',
    async (kept) => {
      const { folder, file } = workspace()
      await filled(folder, 's', 3)
      if (!kept) for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
      chmodSync(folder, 0o755)
      chmodSync(dirname(file), 0o555)
      await asNobody(async () => {
        const store = await openSqliteStore({ folder })
        expect((await readEvents(store, 's')).events).toHaveLength(3)
        expect((await store.list()).map(({ id }) => id)).toEqual(['s'])
        for (const write of [openSession(store, 's'), openSession(store, 'new', { create: true }), store.delete('s')]) {
          await expect(write).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
          await expect(write).rejects.toThrow(`${file}: `)
          await expect(write).rejects.toThrow(/it is read-only. Give yourself write permission/)
        }
        await store.close()
      })
      chmodSync(dirname(file), 0o755)
    },
  )

  test('a read-only file is read all the same, and whoever writes is told', async () => {
    const { folder, file } = workspace()
    await filled(folder, 's', 3)
    for (const [path, mode] of [
      [folder, 0o755],
      [dirname(file), 0o777],
      [file, 0o444],
    ] as const)
      chmodSync(path, mode)
    await asNobody(() =>
      withStore(folder, async (store) => {
        expect((await readEvents(store, 's')).events).toHaveLength(3)
        await expect(openSession(store, 's')).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
        await expect(openSession(store, 's')).rejects.toThrow(/it is read-only. Give yourself write permission/)
      }),
    )
  })

  test('a folder where none can be made is named', async () => {
    const { folder } = workspace()
    chmodSync(folder, 0o555)
    const error = await asNobody(() => refusal(folder))
    expect(error).toMatchObject({ code: 'STORE_UNUSABLE' })
    expect(String(error)).toMatch(/you may not write there/)
    expect(existsSync(join(folder, '.dsh'))).toBe(false)
  })

  test('a failing transaction keeps nothing', async () => {
    const { folder, file } = workspace()
    await filled(folder, 's', 3)
    inDatabase(file, (db) =>
      db.exec(`CREATE TRIGGER no_more BEFORE INSERT ON events WHEN NEW.place % 4294967296 = 6 BEGIN SELECT RAISE(ABORT, 'no'); END`),
    )
    await withStore(folder, async (store) => {
      const session = await openSession(store, 's')
      const appended = [4, 5, 6, 7].map((n) => session.append({ type: 'note', data: n }, { durable: true }))
      for (const each of appended) await expect(each).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' })
      expect((await store.read('s', { after: 0, limit: 100 })).length).toBe(3)
      expect((await store.find('s')).events).toBe(3)
    })
  })

  test('a store that has been closed says so', async () => {
    const { folder } = workspace()
    const store = await openSqliteStore({ folder })
    await store.close()
    await expect(store.list()).rejects.toMatchObject({ code: 'STORE_UNUSABLE' })
    await expect(store.create('s', 1)).rejects.toThrow(/has been closed/)
  })
})
