// Opens a session, says so, and writes events one by one when it is told to. argv: FOLDER ID COUNT
import { once } from 'node:events'
import { openSession } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'

const [folder, id, count] = process.argv.slice(2)
const store = await openSqliteStore({ folder })
const session = await openSession(store, id, { create: true })
console.log('{}')
await once(process.stdin, 'data')
for (let n = 0; n < Number(count); n++) await session.append({ type: 'note', data: n }, { durable: true })
console.log(JSON.stringify({ written: session.events.length }))
process.stdin.destroy()
await session.close()
await store.close()
