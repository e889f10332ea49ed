import { SessionError, type SessionErrorCode } from '../log/session-error.ts'

const REASONS: readonly (readonly [code: RegExp, reason: string, wayOut: string])[] = [
  [/FULL|disk is full/, 'the disk is full', 'Free some space and open the session again.'],
  [/ENOTDIR|EEXIST/, 'a file lies where its folder should be', 'Move that file aside.'],
  [/EACCES|EPERM|EROFS/, 'you may not write there', 'Give yourself write permission on the folder.'],
  [/READONLY|readonly/, 'it is read-only', 'Give yourself write permission on the file and its folder.'],
  [/CORRUPT|malformed/, 'it is damaged', 'Export the sessions that can still be read, and move the file aside.'],
  [/NOTADB|not a database/, 'it is no SQLite database', 'Move it aside: dsh keeps its sessions under that name.'],
  [/CANTOPEN|ConnectionFailed/, 'it cannot be opened', 'Look at the permissions of the file and its folder.'],
  [/BUSY|LOCKED|locked/, 'other processes kept it busy for too long', 'Try again.'],
  [/IOERR/, 'the disk failed', 'Look at the disk, and open the session again.'],
]

/** Say in words what SQLite refused. */
export function sqliteFailure(code: SessionErrorCode, file: string, doing: string, error: unknown): SessionError {
  const { code: sqliteCode = '', message = String(error) } = error as { code?: string; message?: string }
  const [, reason, wayOut] = REASONS.find(([pattern]) => pattern.test(`${sqliteCode} ${message}`)) ?? [undefined, message, '']
  return new SessionError(code, `${file}: ${doing} failed, because ${reason}. ${wayOut}`.trimEnd(), { cause: error })
}
