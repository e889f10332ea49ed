// For each folder that is a line of its input, opens a store, makes a session, and says what went wrong. argv: ID
import { createInterface } from 'node:readline'
import { openSqliteStore } from '@dsh/agent/sqlite'

console.log('null')
for await (const folder of createInterface({ input: process.stdin })) {
  const problem = await makeSession(folder).catch((error) => error.message)
  console.log(JSON.stringify(problem))
}

async function makeSession(folder) {
  const store = await openSqliteStore({ folder })
  await store.create(process.argv[2], 1)
  await store.close()
  return null
}
