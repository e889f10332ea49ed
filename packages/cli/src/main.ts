#!/usr/bin/env node
import { processIo } from './cli-io.ts'
import { runCli } from './program.ts'

const io = processIo()
io.end(await runCli(io, process.argv.slice(2)))
