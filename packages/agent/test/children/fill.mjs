// Appends events until the disk is full, and says what was acknowledged and what it was told. argv: FOLDER
import { openSession } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'

const store = await openSqliteStore({ folder: process.argv[2] })
const session = await openSession(store, 's', { create: true })
let acknowledged = 0
try {
  for (;;) acknowledged = (await session.append({ type: 'fill', data: 'x'.repeat(20_000) }, { durable: true })).seq
} catch (error) {
  console.log(JSON.stringify({ acknowledged, code: error.code, message: error.message, events: session.events.length }))
}
