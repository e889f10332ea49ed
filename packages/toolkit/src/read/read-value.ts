import type { TextEncoding } from '../files/sniff.ts'
import { imageSchema, type ReadImageValue } from './image-value.ts'
import type { ReadLine } from './read-line.ts'

/** What `read` returns to a program for a text; for an image it is a {@link ReadImageValue}. */
export interface ReadValue {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string
  /** 1-based first line that was asked for. */
  readonly offset: number
  readonly lines: readonly ReadLine[]
  /** Lines of the whole file; absent when a file over 8 MiB was not read to its end. */
  readonly totalLines?: number
  /** Lines after the window were left out. */
  readonly truncated: boolean
  /** Where to read on, when lines were left out. */
  readonly nextOffset?: number
  readonly encoding: TextEncoding
  readonly sizeBytes: number
}

const textSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    path: { type: 'string', required: true },
    offset: { type: 'integer', required: true },
    lines: {
      type: 'array',
      required: true,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          number: { type: 'integer', required: true },
          text: { type: 'string', required: true },
          cut: { type: 'integer', description: 'Characters left out at the end of the line.' },
        },
      },
    },
    totalLines: { type: 'integer', description: 'Lines of the whole file; absent when a file over 8 MiB was not read to its end.' },
    truncated: { type: 'boolean', required: true, description: 'Lines after the window were left out.' },
    nextOffset: { type: 'integer', description: 'Where to read on, when lines were left out.' },
    encoding: { type: 'string', enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'], required: true },
    sizeBytes: { type: 'integer', required: true },
  },
} as const

/** The schema of a value of either kind. */
export const readSchema = { oneOf: [textSchema, imageSchema] } as const

/** Whether a value is of an image. */
export function isImageValue(value: ReadValue | ReadImageValue): value is ReadImageValue {
  return 'mediaType' in value
}
