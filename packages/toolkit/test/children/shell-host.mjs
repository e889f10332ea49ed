// A process that runs one command with the tool `bash`, as its second argument says in the background, and ends as it is told: by
// `process.exit` at the first byte of its input.
import { jobTools, shellTools } from '@dsh/toolkit'
import { createRuntime } from '@dsh/tools'

const [command, where] = process.argv.slice(2)
const runtime = createRuntime()
await runtime.plugin(jobTools)
await runtime.plugin(shellTools, { root: process.cwd() })
process.stdin.once('data', () => process.exit(0))
await runtime.call('bash', { command, background: where === 'background' })
