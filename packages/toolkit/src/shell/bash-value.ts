/** Where something of a stream is left out. */
interface Omission {
  /** Index in the text, in UTF-16 units. */
  readonly at: number
  readonly bytes: number
}

/** What `bash` returns to a program. */
export interface BashValue {
  /** Of the shell, when it ended by itself. */
  readonly exitCode?: number
  /** The signal that ended the shell. */
  readonly signal?: string
  /** Head and tail, when it is too long. */
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly stdoutOmitted?: Omission
  readonly stderrOmitted?: Omission
  /** Something of one of them is left out. */
  readonly truncated: boolean
  /** Locator of the whole output. */
  readonly output?: string
  /** Why the whole output is not kept. */
  readonly outputProblem?: string
  readonly durationMs: number
  /** The command left processes behind, which were ended. */
  readonly endedChildren: boolean
  /** Something of it could not be ended. */
  readonly mayStillRun: boolean
}

const omission = {
  type: 'object',
  additionalProperties: false,
  properties: {
    at: { type: 'integer', required: true, description: 'Index in the text where bytes are left out.' },
    bytes: { type: 'integer', required: true },
  },
} as const

/** The schema of a {@link BashValue}. */
export const bashSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    exitCode: { type: 'integer', description: 'Of the shell, when it ended by itself.' },
    signal: { type: 'string', description: 'The signal that ended the shell.' },
    stdout: { type: 'string', required: true, description: 'Head and tail, when it is too long.' },
    stderr: { type: 'string', required: true, description: 'Head and tail, when it is too long.' },
    stdoutBytes: { type: 'integer', required: true },
    stderrBytes: { type: 'integer', required: true },
    stdoutOmitted: omission,
    stderrOmitted: omission,
    truncated: { type: 'boolean', required: true, description: 'Something of one of them is left out.' },
    output: { type: 'string', description: 'Locator of the whole output, when something is left out.' },
    outputProblem: { type: 'string', description: 'Why the whole output is not kept.' },
    durationMs: { type: 'integer', required: true },
    endedChildren: { type: 'boolean', required: true, description: 'The command left processes behind, which were ended.' },
    mayStillRun: { type: 'boolean', required: true, description: 'Something of it could not be ended.' },
  },
} as const
