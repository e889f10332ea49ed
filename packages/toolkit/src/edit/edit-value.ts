import { HUNKS_SCHEMA, type Hunks } from '../files/hunks.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import type { AppliedEdit } from './apply-edits.ts'

/** The schema of one edit, for the parameters. */
export const EDIT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    oldText: { type: 'string', description: 'Text as it stands in the file, without line numbers.', required: true },
    newText: { type: 'string', description: 'What it becomes; empty to remove it.', required: true },
    replaceAll: { type: 'boolean', description: 'Replace it wherever it stands. Default false.' },
  },
} as const

/** What `edit` returns to a program. */
export interface EditValue extends Hunks {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string
  /** Bytes of the file as it is now. */
  readonly bytes: number
  /** In the order of the edits. */
  readonly edits: readonly AppliedEdit[]
}

/** The schema of an {@link EditValue}. */
export const editSchema = {
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
} as const

/** What a model reads of an {@link EditValue}. */
export function renderEdit({ path, edits }: EditValue): string {
  const places = edits.map(({ line, replacements }) =>
    replacements === 1 ? `line ${line}` : `${replacements} places from line ${line} on`,
  )
  return `Changed ${printablePath(path)}: ${edits.length > 10 ? count(edits.length, 'edit') : places.join(', ')}.`
}
