import { defineTool, type ToolDefinition, type ToolRunContext } from '@dsh/tools'
import type { DiffResultView } from '@dsh/tools/presentation'
import { type CheckedConfig, checkConfig, type FileToolsConfig } from '../config.ts'
import { changeFile } from '../files/change-file.ts'
import { createFileLedger, type FileLedger } from '../files/file-ledger.ts'
import { changeBetween } from '../files/hunks.ts'
import { encodeText, type TextFormat } from '../files/text-codec.ts'
import { createFile } from '../files/write-file.ts'
import { printablePath } from '../text/printable-path.ts'
import { fileKey } from '../workspace/file-key.ts'
import { findWriteTarget } from '../workspace/write-target.ts'
import { renderWrite, type WriteValue, writeSchema } from './write-value.ts'

/** What a card needs of a {@link WriteValue}. A type, as it is JSON. */
type WriteMeta = Pick<WriteValue, 'path' | 'created' | 'hunks'>

const NEW_FILE: TextFormat = { encoding: 'utf-8', bomBytes: 0 }

/** The tool `write`: makes a file or replaces it, whole or not at all. @throws TypeError for a configuration that cannot work. */
export function writeTool(config: FileToolsConfig, ledger: FileLedger = createFileLedger()): ToolDefinition {
  const checked = checkConfig(config)
  return defineTool({
    name: 'write',
    description:
      'Write a text file of the workspace: make it, with the folders on the way, or replace all it holds. A file that is there keeps its encoding, and CRLF line ends where content has only LF. To change a part of a file, use edit. Refused when the file has changed since you read it.',
    parameters: {
      path: { type: 'string', description: 'File to write, relative to the workspace root or absolute.', required: true },
      content: { type: 'string', description: 'All that the file shall hold.', required: true },
    },
    output: {
      schema: writeSchema,
      render: (_args, value) => [{ type: 'text', text: renderWrite(value) }],
      presentationMeta: (_args, { path, created, hunks }): WriteMeta => ({ path, created, hunks }),
    },
    effects: 'idempotent',
    access: ({ path }) => ({ writes: [fileKey(checked.root, path)] }),
    execute: (args, exec) => write(args, exec, checked, ledger),
    presentCall: ({ path, content }) => ({
      card: 'diff',
      title: printablePath(path),
      diffs: [{ path, oldText: null, newText: content }],
      locations: [{ path }],
    }),
    presentResult({ content }, { isError, meta }): DiffResultView | undefined {
      if (isError || meta === undefined) return undefined
      const { path, created, hunks } = meta as unknown as WriteMeta
      const diffs = created
        ? [{ path, oldText: null, newText: content }]
        : hunks.map(({ oldText, newText }) => ({ path, oldText, newText }))
      return { card: 'diff', title: printablePath(path), diffs }
    },
  })
}

interface WriteArgs {
  readonly path: string
  readonly content: string
}

async function write(args: WriteArgs, exec: ToolRunContext, { root, limits }: CheckedConfig, ledger: FileLedger): Promise<WriteValue> {
  const key = fileKey(root, args.path)
  const target = await findWriteTarget(root, args.path)
  if (target.kind === 'new') {
    const bytes = encodeText(args.content, NEW_FILE)
    const { path, real } = target
    ledger.note(exec.agent, key, await createFile({ path, real, bytes, signal: exec.signal }))
    return { path, created: true, bytes: bytes.length, encoding: 'utf-8', hunks: [] }
  }
  const { path } = target.file
  const { bytes, encoding, hunks } = await changeFile(
    target.file,
    { exec, ledger, key, maxBytes: limits.editBytes },
    (old, { bomBytes }) => {
      const content = bomBytes > 0 && args.content.startsWith('\ufeff') ? args.content.slice(1) : args.content // the file keeps its own mark
      const text = withLineEndsOf(old, content)
      const change = changeBetween(old, text)
      return { text, changes: change === undefined ? [] : [change] }
    },
  )
  return { path, created: false, bytes, encoding, ...hunks }
}

/** A file with CRLF throughout keeps it when the new content does not say otherwise. */
function withLineEndsOf(old: string, content: string): string {
  if (!old.includes('\r\n') || /(?<!\r)\n/.test(old) || content.includes('\r')) return content
  return content.replaceAll('\n', '\r\n')
}
