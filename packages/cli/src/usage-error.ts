/** The command line, or a file it names, cannot be used. Exit code 2; the message says the way out. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** What a system error says of a file or folder, in words for a person: `there is no such file`. */
export function systemReason(error: unknown, what: 'file' | 'folder' = 'file'): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return `there is no such ${what}`
    case 'EISDIR':
      return 'it is a folder'
    case 'ENOTDIR':
      return 'a part of its path is not a folder'
    case 'EACCES':
    case 'EPERM':
      return 'it may not be read'
    default:
      return message ?? String(error)
  }
}
