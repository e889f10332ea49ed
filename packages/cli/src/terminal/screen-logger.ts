import type { Logger } from '@dsh/tools/ports'
import { printable, printableLine } from '../text/printable.ts'
import type { Screen } from './screen.ts'

/** The log of a runtime, as lines for a person. @param debug - with debug messages, and stacks. */
export function screenLogger(screen: Screen, debug: boolean): Logger {
  const write = (level: string) => (message: string, detail?: unknown) => {
    const stack = debug && detail instanceof Error ? `\n${printable(String(detail.stack))}` : ''
    screen.line(`dsh: ${level}: ${printableLine(message.replace(/^dsh: /, ''))}${stack}`)
  }
  return { debug: debug ? write('debug') : () => undefined, info: () => undefined, warn: write('warning'), error: write('error') }
}
