import { defineTool, type ToolDefinition, ToolError } from '@dsh/tools'
import { checkConfig, type FileToolsConfig } from '../config.ts'
import { createFileLedger, type FileLedger } from '../files/file-ledger.ts'
import { printablePath } from '../text/printable-path.ts'
import { fileKey } from '../workspace/file-key.ts'
import { locate } from '../workspace/locate.ts'
import { LineIndex } from './line-index.ts'
import { metaOf, type ReadMeta, readCard } from './read-card.ts'
import { readFile } from './read-file.ts'
import { readSchema } from './read-value.ts'
import { renderRead } from './render-read.ts'

/**
 * The tool `read`: a window of a text file, as numbered lines, or an image.
 * @param ledger - told what an agent has seen; by default nobody is.
 * @throws TypeError for a configuration that cannot work.
 */
export function readTool(config: FileToolsConfig, ledger: FileLedger = createFileLedger()): ToolDefinition {
  const { root, limits } = checkConfig(config)
  const index = new LineIndex()
  return defineTool({
    name: 'read',
    description: `Read a text file of the workspace as numbered lines, or look at an image (PNG, JPEG, GIF, WebP). Of a text it shows at most ${limits.readLines} lines and ${limits.readBytes} bytes at once; to see more, call again with the offset it names. Lines longer than ${limits.readLineChars} characters are cut. UTF-8, UTF-16 with a byte-order mark, and, up to 8 MiB, Windows-1252. An image may have ${limits.readImageBytes} bytes.`,
    parameters: {
      path: { type: 'string', description: 'File to read, relative to the workspace root or absolute.', required: true },
      offset: { type: 'integer', description: 'Number of the first line to show, from 1 on. Default 1. An image is always shown whole.' },
      limit: { type: 'integer', description: `How many lines to show, at most ${limits.readLines}, which is also the default.` },
    },
    output: {
      schema: readSchema,
      render: (_args, value) => renderRead(value),
      presentationMeta: (_args, value) => metaOf(value),
    },
    effects: 'none',
    access: ({ path }) => ({ reads: [fileKey(root, path)] }),
    async execute(args, exec) {
      const offset = fromOne('offset', args.offset ?? 1)
      const maxLines = Math.min(fromOne('limit', args.limit ?? limits.readLines), limits.readLines)
      const { value, version } = await readFile(await locate(root, args.path), {
        window: { offset, maxLines, maxLineChars: limits.readLineChars, maxBytes: limits.readBytes },
        image: { maxBytes: limits.readImageBytes, maxSide: limits.readImageSide },
        index,
        signal: exec.signal,
      })
      ledger.note(exec.agent, fileKey(root, args.path), version)
      return value
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
