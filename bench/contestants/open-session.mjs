// Opens the session of a folder in a process of its own, and tells what that took: argv FOLDER.
import { deriveMessages, openSession } from '@dsh/agent'
import { openSqliteStore } from '@dsh/agent/sqlite'

const before = process.memoryUsage.rss()

const store = await openSqliteStore({ folder: process.argv[2] })
const started = performance.now()
const session = await openSession(store, 's')
const openMs = performance.now() - started
const peak = process.resourceUsage().maxRSS * 1_024
const after = process.memoryUsage.rss()
const deriving = performance.now()
const messages = deriveMessages(session.events)
const deriveMs = performance.now() - deriving
console.log(JSON.stringify({ openMs, deriveMs, events: session.events.length, messages: messages.length, before, peak, after }))
await session.close()
await store.close()
