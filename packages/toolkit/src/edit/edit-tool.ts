import { defineTool, type ToolDefinition, ToolError, type ToolRunContext } from '@dsh/tools'
import type { DiffResultView } from '@dsh/tools/presentation'
import { type CheckedConfig, checkConfig, type FileToolsConfig } from '../config.ts'
import { changeFile } from '../files/change-file.ts'
import { createFileLedger, type FileLedger } from '../files/file-ledger.ts'
import { printablePath } from '../text/printable-path.ts'
import { fileKey } from '../workspace/file-key.ts'
import { locate } from '../workspace/locate.ts'
import { type AppliedEdit, applyEdits, type Edit } from './apply-edits.ts'
import { EDIT_SCHEMA, type EditValue, editSchema, renderEdit } from './edit-value.ts'

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
        items: EDIT_SCHEMA,
      },
    },
    output: {
      schema: editSchema,
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
  const changed = await changeFile(file, { exec, ledger, key: fileKey(root, path), maxBytes: limits.editBytes }, async (text) => {
    const edited = await applyEdits(text, edits, exec.signal)
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
