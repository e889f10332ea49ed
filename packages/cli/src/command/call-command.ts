import type { ContentBlock, ToolCallBlock, ToolExecutionResult } from '@dsh/tools'
import { type CommittedCall, runBatch } from '../batch/run-batch.ts'
import type { CliIo } from '../cli-io.ts'
import type { Workspace } from '../host/workspace.ts'
import { resultJson } from '../result/result-json.ts'
import { printable } from '../text/printable.ts'
import { callArguments } from './call-arguments.ts'

/** Options of `dsh call`. */
export interface CallOptions {
  readonly arg?: readonly string[]
  readonly argsJson?: string
  readonly json?: boolean
}

/** `dsh call NAME`: run one call and print its content. @returns the exit code. @throws UsageError for arguments that cannot be read. */
export async function callCommand(io: CliIo, workspace: Workspace, name: string, options: CallOptions): Promise<number> {
  const { runtime, operator } = workspace
  const text = await callArguments(io, runtime.tools.get(name, operator), options.arg ?? [], options.argsJson)
  const call: ToolCallBlock = { type: 'tool-call', name, arguments: text }
  const { failed, interrupted } = await runBatch(io, workspace, [call], {
    onCommitted: (committed) => (options.json ? printJson(io, committed) : printContent(io, committed.result)),
  })
  if (interrupted) return 130
  return failed > 0 ? 1 : 0
}

function printJson(io: CliIo, { callId, call, result }: CommittedCall): void {
  io.stdout.write(`${resultJson({ callId, name: call.name, result }, io.stdout)}\n`)
}

function printContent(io: CliIo, result: ToolExecutionResult): void {
  const stream = result.isError ? io.stderr : io.stdout
  for (const block of result.content) {
    stream.write(`${printable(blockText(block))}\n`)
  }
}

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource') return block.text ?? `[${block.type}: ${block.uri}]`
  return `[${block.type}: ${block.mediaType}]`
}
