import { defineTool, type ToolDefinition, ToolError, type ToolRunContext } from '@dsh/tools'
import type { DiffResultView } from '@dsh/tools/presentation'
import { type CheckedConfig, checkConfig, type FileToolsConfig } from '../config.ts'
import { changeFile } from '../files/change-file.ts'
import { createFileLedger, type FileLedger } from '../files/file-ledger.ts'
import { HUNKS_SCHEMA, type Hunks } from '../files/hunks.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import { fileKey } from '../workspace/file-key.ts'
import { locate } from '../workspace/locate.ts'
import { type AppliedEdit, applyEdits, type Edit } from './apply-edits.ts'

/** What `edit` returns to a program. */
export interface EditValue extends Hunks {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string
  /** Bytes of the file as it is now. */
  readonly bytes: number
  /** In the order of the edits. */
  readonly edits: readonly AppliedEdit[]
}

/** What a card needs of an {@link EditValue}. A type, as it is JSON. */
type EditMeta = Pick<EditValue, 'path' | 'hunks'>

/** The tool `edit`: replaces texts in a file, all of them or none. @throws TypeError for a configuration that cannot work. */
export function editTool(config: FileToolsConfig, ledger: FileLedger = createFileLedger()): ToolDefinition {
  const checked = checkConfig(config)
  return defineTool({
    name: 'edit',
    description:
      'Change parts of a text file of the workspace: each oldText is replaced by its newText. Texts are matched literally, white space included; line breaks match LF and CRLF alike, and stay as they are. An oldText must stand in the file once, or replaceAll must be true. Edits are applied in order, each to what those before it left, all of them or none. Refused when the file has changed since you read it.',
    parameters: {
      path: { type: 'string', description: 'File to change, relative to the workspace root or absolute.', required: true },
      edits: {
        type: 'array',
        required: true,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: {
            oldText: { type: 'string', description: 'Text as it stands in the file, without line numbers.', required: true },
            newText: { type: 'string', description: 'What it becomes; empty to remove it.', required: true },
            replaceAll: { type: 'boolean', description: 'Replace it wherever it stands. Default false.' },
          },
        },
      },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          path: { type: 'string', required: true },
          bytes: { type: 'integer', required: true },
          edits: {
            type: 'array',
            required: true,
            items: {
              type: 'object',
              additionalProperties: false,
              properties: {
                line: {
                  type: 'integer',
                  required: true,
                  description: 'Line of its first match, in the text that the edits before it left.',
                },
                replacements: { type: 'integer', required: true },
              },
            },
          },
          ...HUNKS_SCHEMA,
        },
      },
      render: (_args, value) => [{ type: 'text', text: renderEdit(value) }],
      presentationMeta: (_args, { path, hunks }): EditMeta => ({ path, hunks }),
    },
    effects: 'unknown', // once more, it may find its text again in what it wrote
    access: ({ path }) => ({ writes: [fileKey(checked.root, path)] }),
    execute: (args, exec) => edit(args, exec, checked, ledger),
    presentCall: ({ path, edits }) => ({
      card: 'diff',
      title: printablePath(path),
      diffs: edits.map(({ oldText, newText }) => ({ path, oldText, newText })),
      locations: [{ path }],
    }),
    presentResult(_args, { isError, meta }): DiffResultView | undefined {
      if (isError || meta === undefined) return undefined
      const { path, hunks } = meta as unknown as EditMeta
      return { card: 'diff', title: printablePath(path), diffs: hunks.map(({ oldText, newText }) => ({ path, oldText, newText })) }
    },
  })
}

interface EditArgs {
  readonly path: string
  readonly edits: readonly Edit[]
}

async function edit(
  { path, edits }: EditArgs,
  exec: ToolRunContext,
  { root, limits }: CheckedConfig,
  ledger: FileLedger,
): Promise<EditValue> {
  const file = await locate(root, path)
  let applied: readonly AppliedEdit[] = []
  const changed = await changeFile(file, { exec, ledger, key: fileKey(root, path), maxBytes: limits.editBytes }, (text) => {
    const edited = applyEdits(text, edits)
    if (edited.text === text) {
      throw new ToolError('All edits together leave the file as it is. Send what it shall become. Nothing was changed.', {
        code: 'NO_CHANGE',
      })
    }
    applied = edited.applied
    return edited
  })
  return { path: file.path, bytes: changed.bytes, edits: applied, ...changed.hunks }
}

function renderEdit({ path, edits }: EditValue): string {
  const places = edits.map(({ line, replacements }) =>
    replacements === 1 ? `line ${line}` : `${replacements} places from line ${line} on`,
  )
  return `Changed ${printablePath(path)}: ${edits.length > 10 ? count(edits.length, 'edit') : places.join(', ')}.`
}
