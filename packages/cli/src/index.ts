/** `@dsh/cli`: the `dsh` command, for programs that want to run it in their own process. */
export { type CliIo, processIo } from './cli-io.ts'
export { runCli } from './program.ts'
