import type { JsonValue } from '@dsh/tools'
import type { ReadLine } from '../read/read-line.ts'
import type { GrepMatch } from '../search/grep-value.ts'

/** One value that a query found: itself, or what it is when it is too long to show. */
export interface FoundValue {
  /** Where it is, as a query. */
  readonly path: string
  readonly value?: JsonValue
  readonly tooLong?: string
}

/** What `read_result` returns to a program: lines, or with `pattern` matches, or with `query` values. */
export interface ReadResultValue {
  readonly locator: string
  /** The tool whose result it is. */
  readonly tool: string
  /** Bytes of its whole text. */
  readonly sizeBytes: number
  /** 1-based number of the first line, match or value that was asked for. */
  readonly offset: number
  readonly lines?: readonly ReadLine[]
  readonly matches?: readonly GrepMatch[]
  readonly values?: readonly FoundValue[]
  /** All lines, matching lines or values there are. */
  readonly total: number
  /** Where to read on, when something was left out. */
  readonly nextOffset?: number
  /** Why a query found nothing. */
  readonly missing?: string
}

const integer = { type: 'integer', required: true } as const
const text = { type: 'string', required: true } as const
const cutSides = { type: 'string', enum: ['start', 'end', 'both'], description: 'The ends at which a long line was cut.' } as const

/** The schema of a {@link ReadResultValue}. */
export const readResultSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    locator: text,
    tool: text,
    sizeBytes: integer,
    offset: integer,
    lines: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, properties: { number: integer, text, cut: { type: 'integer' } } },
    },
    matches: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, properties: { line: integer, text, cut: cutSides } },
    },
    values: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: { path: text, value: { type: 'json' }, tooLong: { type: 'string' } },
      },
    },
    total: { type: 'integer', required: true, description: 'All lines, matching lines or values there are.' },
    nextOffset: { type: 'integer', description: 'Where to read on, when something was left out.' },
    missing: { type: 'string', description: 'Why a query found nothing.' },
  },
} as const
