import { defineTool, type ToolDefinition, ToolError } from '@dsh/tools'
import { checkConfig, type FileToolsConfig } from '../config.ts'
import { createFileLedger, type FileLedger } from '../files/file-ledger.ts'
import { printablePath } from '../text/printable-path.ts'
import { fileKey } from '../workspace/file-key.ts'
import { locate } from '../workspace/locate.ts'
import { openRegularFile } from '../workspace/open-regular-file.ts'
import { LineIndex } from './line-index.ts'
import { metaOf, type ReadMeta, readCard } from './read-card.ts'
import { type ReadValue, readSchema } from './read-value.ts'
import { readWindow } from './read-window.ts'
import { renderRead } from './render-read.ts'

/**
 * The tool `read`: a window of a text file, as numbered lines.
 * @param ledger - told what an agent has seen; by default nobody is.
 * @throws TypeError for a configuration that cannot work.
 */
export function readTool(config: FileToolsConfig, ledger: FileLedger = createFileLedger()): ToolDefinition {
  const { root, limits } = checkConfig(config)
  const index = new LineIndex()
  return defineTool({
    name: 'read',
    description: `Read a text file of the workspace as numbered lines. Shows at most ${limits.readLines} lines and ${limits.readBytes} bytes at once; to see more, call again with the offset it names. Lines longer than ${limits.readLineChars} characters are cut. UTF-8, UTF-16 with a byte-order mark, and, up to 8 MiB, Windows-1252.`,
    parameters: {
      path: { type: 'string', description: 'File to read, relative to the workspace root or absolute.', required: true },
      offset: { type: 'integer', description: 'Number of the first line to show, from 1 on. Default 1.' },
      limit: { type: 'integer', description: `How many lines to show, at most ${limits.readLines}, which is also the default.` },
    },
    output: {
      schema: readSchema,
      render: (_args, value) => [{ type: 'text', text: renderRead(value) }],
      presentationMeta: (_args, value) => metaOf(value),
    },
    effects: 'none',
    access: ({ path }) => ({ reads: [fileKey(root, path)] }),
    async execute(args, exec): Promise<ReadValue> {
      const offset = fromOne('offset', args.offset ?? 1)
      const maxLines = Math.min(fromOne('limit', args.limit ?? limits.readLines), limits.readLines)
      const located = await locate(root, args.path)
      const handle = await openRegularFile(located)
      try {
        const window = { offset, maxLines, maxLineChars: limits.readLineChars, maxBytes: limits.readBytes }
        const { lines, version, ...facts } = await readWindow(handle, located.path, { limits: window, index, signal: exec.signal })
        ledger.note(exec.agent, fileKey(root, args.path), version)
        const next = offset + lines.length
        const rest =
          facts.totalLines === undefined || next <= facts.totalLines ? { truncated: true, nextOffset: next } : { truncated: false }
        return { path: located.path, offset, lines, ...facts, ...rest }
      } finally {
        await handle.close()
      }
    },
    presentCall: ({ path, offset }) => ({
      card: 'generic',
      kind: 'read',
      title: printablePath(path),
      locations: [offset === undefined ? { path } : { path, line: offset }],
    }),
    presentResult: (_args, { isError, meta }) => (isError || meta === undefined ? undefined : readCard(meta as unknown as ReadMeta)),
  })
}

function fromOne(name: string, value: number): number {
  if (value >= 1) return value
  throw new ToolError(`${name} is ${value}, and lines are counted from 1. Send ${name} as 1 or more.`, { code: 'INVALID_RANGE' })
}
