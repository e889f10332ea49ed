import { ToolError } from '@dsh/tools'

const MAX_SHOWN = 200

/** The failure of a pattern ripgrep refused, with its reason and without its advice about flags a caller cannot set. */
export function invalidRegex(pattern: string, stderr: string): ToolError {
  const shown = JSON.stringify(pattern.length > MAX_SHOWN ? `${pattern.slice(0, MAX_SHOWN)}...` : pattern)
  const message = `The pattern ${shown} cannot be used: ${reasonFrom(stderr)}. ${adviceFor(stderr)}`
  return new ToolError(message, { code: 'INVALID_PATTERN', reason: stderr })
}

function reasonFrom(stderr: string): string {
  const named = /^error: (.+)$/m.exec(stderr)?.[1]
  const reason = named ?? stderr.split('\n', 1)[0]?.replace(/^rg: /, '').replace(/:$/, '')
  return reason === undefined || reason === '' ? 'ripgrep refused it without saying why' : reason.replace(/\.$/, '')
}

function adviceFor(stderr: string): string {
  if (stderr.includes('look-around') || stderr.includes('backreference')) return 'Write it without them, and filter the matches yourself.'
  if (stderr.includes('multiline')) return 'Matches lie within one line: search for one of the lines.'
  if (stderr.includes('size limit')) return 'Use smaller repetitions.'
  return 'It is a Rust regular expression: escape special characters, or set literal to true to search for the text as it is.'
}
