import { ToolError } from '@dsh/tools'

/** A process argument of Linux holds 128 KiB; a pattern of this length is a mistake long before. */
const MAX_BYTES = 65_536

/** @throws ToolError INVALID_PATTERN for what cannot be handed to ripgrep, or would match every line. */
export function checkPattern(pattern: string): string {
  const refuse = (why: string) => new ToolError(`The pattern ${why}.`, { code: 'INVALID_PATTERN' })
  if (pattern === '') throw refuse('is empty and would match every line. Send what to search for, or call read to see a file')
  if (pattern.includes('\0')) throw refuse('holds a NUL character, which no text file does. Send it without')
  if (Buffer.byteLength(pattern) > MAX_BYTES) throw refuse(`is longer than ${MAX_BYTES} bytes. Search for a part of it`)
  return pattern
}
