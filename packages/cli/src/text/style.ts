import pc from 'picocolors'
import type { CliIo } from '../cli-io.ts'

/** Colours for one stream, and how wide it is. */
export interface Style {
  readonly color: ReturnType<typeof pc.createColors>
  /** Columns of the terminal; undefined where the output goes elsewhere and nothing is cut. */
  readonly columns: number | undefined
}

/** Colour on a terminal only, and never with NO_COLOR. */
export function styleOf(stream: CliIo['stdout'], env: CliIo['env']): Style {
  const isTerminal = stream.isTTY === true
  const plain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return { color: pc.createColors(isTerminal && !plain), columns: isTerminal ? (stream.columns ?? 80) : undefined }
}
