// A process that runs one command with the tool `bash` and ends as it is told: by `process.exit` at the first byte of its input.
import { shellTools } from '@dsh/toolkit'
import { createRuntime } from '@dsh/tools'

const runtime = createRuntime()
await runtime.plugin(shellTools, { root: process.cwd() })
process.stdin.once('data', () => process.exit(0))
await runtime.call('bash', { command: process.argv[2] })
