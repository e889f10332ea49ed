/** What the page of a tool says beside its definition. */
export interface ToolPage {
  /** Arguments of a call whose card the page shows. */
  readonly example: object
  /** Which card a settled call has. */
  readonly resultCard: string
  /** Its limits, in words, with their defaults. The setting that changes one stands in front. */
  readonly limits: Readonly<Record<string, string>>
  /** When a call fails with a code of its own. */
  readonly codes: Readonly<Record<string, string>>
}

const PATHS = {
  INVALID_PATH: 'the path holds a NUL character, or is longer than the system allows',
  OUTSIDE_WORKSPACE: 'the path leads out of the workspace, by name or through a symbolic link',
  FILE_NOT_FOUND: 'nothing has that name; the nearest names are said',
  PERMISSION_DENIED: 'the system refuses',
  WORKSPACE_MISSING: 'the workspace folder itself cannot be reached any more',
} as const
const WRITTEN = {
  ...PATHS,
  NOT_A_FILE: 'a folder, a pipe, a socket or a device stands there',
  BINARY_FILE: 'the file is not text',
  FILE_TOO_LARGE: 'the file is larger than the limit',
  FILE_CHANGED: 'it has changed since the agent read or wrote it, or while it was written',
  FILE_NOT_READ: 'the agent has not read it; only with the policy readBeforeWrite',
  UNENCODABLE_TEXT:
    'the encoding of the file has no such character, or the text would be read back as something else (a NUL makes it binary)',
  WRITE_FAILED: 'the system says why: the disk is full, the file system is read-only',
} as const
const NOT_A_FILE = 'a folder, a pipe, a socket or a device stands there'

const JOB_NOT_FOUND = 'no job of the owner has that id; those there are are said'

/** The pages of the standard tools: `npm run docs` writes docs/tools from them. */
export const TOOL_PAGES: Readonly<Record<string, ToolPage>> = {
  read: {
    example: { path: 'src/index.ts', offset: 120, limit: 40 },
    resultCard: 'read; generic for an image',
    limits: {
      readLines: '2,000 lines',
      readLineChars: '2,000 characters a line',
      readBytes: '49,152 bytes of text, line numbers included; one line is always shown',
      readImageBytes: '3,932,160 bytes of an image: base64 makes 5 MiB of them',
      readImageSide: '8,000 pixels, the longer side of an image',
    },
    codes: {
      ...PATHS,
      NOT_A_FILE,
      BINARY_FILE: 'the file is neither text nor an image that can be shown',
      INVALID_IMAGE: 'an image is broken or cut off',
      IMAGE_TOO_LARGE: 'an image is above one of its limits',
      INVALID_RANGE: 'offset or limit is below 1',
    },
  },
  write: {
    example: { path: 'notes/todo.md', content: '- write it down\n' },
    resultCard: 'diff',
    limits: { editBytes: '67,108,864 bytes of a file that is replaced' },
    codes: {
      ...WRITTEN,
      FILE_NOT_FOUND: 'a folder on the way is a file, or the path is a link to nothing',
    },
  },
  edit: {
    example: { path: 'src/index.ts', edits: [{ oldText: 'const limit = 10', newText: 'const limit = 20' }] },
    resultCard: 'diff, of the changed lines and those around them',
    limits: { editBytes: '67,108,864 bytes of a file that is changed' },
    codes: {
      ...WRITTEN,
      FILE_NOT_FOUND: PATHS.FILE_NOT_FOUND,
      NO_MATCH: 'an oldText does not stand in the file; why that may be is said',
      SEVERAL_MATCHES: 'an oldText stands there more than once without replaceAll, or more than 1,000,000 times; the first lines are said',
      NO_CHANGE: 'an oldText and its newText are the same, or all edits together change nothing',
      EMPTY_OLD_TEXT: 'an oldText is empty',
    },
  },
  glob: {
    example: { pattern: 'src/**/*.ts' },
    resultCard: 'search, of paths',
    limits: { globPaths: '100 paths' },
    codes: {
      ...PATHS,
      NOT_A_FOLDER: 'path names a file',
      INVALID_PATTERN: 'the glob cannot be read, or is longer than 1,000 characters',
      SEARCH_FAILED: 'ripgrep could not be started, or died',
    },
  },
  grep: {
    example: { pattern: 'TODO|FIXME', glob: '*.ts' },
    resultCard: 'search, of matches',
    limits: { grepMatches: '250 matching lines', grepLineChars: '2,000 characters a line' },
    codes: {
      ...PATHS,
      NOT_A_FILE,
      INVALID_PATTERN: 'the regular expression or the glob cannot be read',
      SEARCH_FAILED: 'ripgrep could not be started, or died',
    },
  },
  read_result: {
    example: { locator: 'result-0123456789abcdef01234567', pattern: 'error' },
    resultCard: 'read for lines, search for matches, generic for values',
    limits: {},
    codes: {
      RESULT_NOT_FOUND: 'nothing is kept under the locator',
      NOT_JSON: 'query was sent for a result that is no JSON',
      INVALID_QUERY: 'the query cannot be read; its position is said',
      INVALID_PATTERN: 'the regular expression cannot be read',
      INVALID_RANGE: 'offset, limit or column is below 1',
      SEARCH_FAILED: 'ripgrep could not be started, or died',
    },
  },
  bash: {
    example: { command: 'npm test', description: 'Run the tests', cwd: 'packages/tools' },
    resultCard: 'terminal',
    limits: {
      commandMs: '120,000 ms, when the call names none',
      maxCommandMs: '600,000 ms, whatever the call names',
      streamBytes: '64,000 bytes kept of standard output and of standard error each, half from the head, half from the tail',
      killGraceMs: '3,000 ms from TERM to KILL',
    },
    codes: {
      ...PATHS,
      NOT_A_FOLDER: 'cwd names a file',
      INVALID_ENV: 'a variable has a name that no shell takes, is not a string, holds a NUL character, or is one that a call may not set',
      INVALID_TIMEOUT: 'timeoutMs is below 1 or above the limit',
      INVALID_COMMAND: 'the command is empty, or holds a NUL character',
      COMMAND_TOO_LONG: 'the command or its variables are longer than the system takes: 128 KiB each on Linux',
      COMMAND_NOT_STARTED: 'the system could not start the shell; retryable where it lacked processes or memory',
      TOO_MANY_JOBS: 'background was sent, and as many jobs run as may; they are said',
      JOBS_CLOSED: 'background was sent, and its owner or the port jobs is gone',
    },
  },
  job_output: {
    example: { job: 'job-1', cursor: 2048, waitMs: 30_000 },
    resultCard: 'terminal',
    limits: { jobOutputBytes: '32,000 bytes at once', jobWindowBytes: '1,048,576 bytes of output stay readable' },
    codes: { JOB_NOT_FOUND, INVALID_RANGE: 'limit is below 1, or waitMs below 0' },
  },
  job_list: {
    example: {},
    resultCard: 'generic',
    limits: {
      maxJobs: '16 jobs of one owner run at the same time',
      keptJobs: '64 that are over can still be read; the oldest is forgotten first',
    },
    codes: {},
  },
  job_kill: {
    example: { job: 'job-1' },
    resultCard: 'generic',
    limits: { killGraceMs: '3,000 ms from TERM to KILL' },
    codes: { JOB_NOT_FOUND },
  },
}
