#!/usr/bin/env node
import { processIo } from './cli-io.ts'
import { runCli } from './program.ts'

process.exitCode = await runCli(processIo(), process.argv.slice(2))
