/** One matching line, as `grep` returns it. */
export interface GrepMatch {
  /** 1-based. */
  readonly line: number
  /** Without its line break; of a long line, what surrounds the match. */
  readonly text: string
  /** The ends at which a long line was cut. */
  readonly cut?: 'start' | 'end' | 'both'
}

/** The matching lines of one file. */
export interface GrepFile {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string
  readonly matches: readonly GrepMatch[]
}

/** What `grep` returns to a program. */
export interface GrepValue {
  /** The folder or file searched, relative to the workspace root; `.` is the root. */
  readonly path: string
  /** The first matching lines by path (code units) and line, grouped by file. */
  readonly files: readonly GrepFile[]
  /** All matching lines, also those left out. */
  readonly total: number
  /** All files with a match. */
  readonly totalFiles: number
  readonly truncated: boolean
  /** What could not be searched, or not to its end. */
  readonly problems: readonly string[]
}

/** The schema of a {@link GrepValue}. */
export const grepSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    path: { type: 'string', required: true },
    files: {
      type: 'array',
      required: true,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          path: { type: 'string', required: true },
          matches: {
            type: 'array',
            required: true,
            items: {
              type: 'object',
              additionalProperties: false,
              properties: {
                line: { type: 'integer', required: true },
                text: { type: 'string', required: true },
                cut: { type: 'string', enum: ['start', 'end', 'both'], description: 'The ends at which a long line was cut.' },
              },
            },
          },
        },
      },
    },
    total: { type: 'integer', required: true, description: 'All matching lines, also those left out.' },
    totalFiles: { type: 'integer', required: true },
    truncated: { type: 'boolean', required: true },
    problems: { type: 'array', items: { type: 'string' }, required: true, description: 'What could not be searched.' },
  },
} as const
