import { HUNKS_SCHEMA, type Hunks } from '../files/hunks.ts'
import type { TextEncoding } from '../files/sniff.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'

/** What `write` returns to a program. */
export interface WriteValue {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string
  /** There was no such file. */
  readonly created: boolean
  /** Bytes of the file. */
  readonly bytes: number
  readonly encoding: TextEncoding
  /** Of a file that was replaced. */
  readonly hunks: Hunks['hunks']
  readonly omittedHunks?: number
}

/** The schema of a {@link WriteValue}. */
export const writeSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    path: { type: 'string', required: true },
    created: { type: 'boolean', required: true, description: 'There was no such file.' },
    bytes: { type: 'integer', required: true },
    encoding: { type: 'string', enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'], required: true },
    ...HUNKS_SCHEMA,
  },
} as const

/** What a model reads of a {@link WriteValue}. */
export function renderWrite({ path, created, bytes, hunks }: WriteValue): string {
  const name = printablePath(path)
  if (created) return `Made ${name} with ${count(bytes, 'byte')}.`
  return hunks.length === 0 ? `${name} holds just that already.` : `Replaced ${name}, which has ${count(bytes, 'byte')} now.`
}
