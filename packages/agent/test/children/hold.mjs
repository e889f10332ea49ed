// Opens a session, says whether it may write, and holds it until its input ends. argv: FOLDER ID
import { openSession } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'

const [folder, id] = process.argv.slice(2)
const store = await openSqliteStore({ folder })
const session = await openSession(store, id, { create: true })
console.log(JSON.stringify({ pid: process.pid, heldBy: session.heldBy ?? null }))
for await (const _ of process.stdin);
await session.close()
await store.close()
