#!/usr/bin/env node
import { processIo } from './cli-io.ts'
import { runCli } from './program.ts'

// A body that waits for nothing but its signal keeps no handle of its own: the process waits with it, until it ends or Ctrl-C.
const alive = setInterval(() => undefined, 2 ** 30)
process.exitCode = await runCli(processIo(), process.argv.slice(2))
clearInterval(alive)
