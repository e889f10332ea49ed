import type { Logger } from '../contract/ports.ts'

/** A logger that keeps what it is told. */
export interface RecordingLogger extends Logger {
  readonly entries: readonly { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string; readonly detail: unknown }[]
}

/** Make a logger that keeps what it is told and prints nothing. */
export function createRecordingLogger(): RecordingLogger {
  const entries: { level: 'debug' | 'info' | 'warn' | 'error'; message: string; detail: unknown }[] = []
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, detail?: unknown) => {
    entries.push({ level, message, detail })
  }
  return { entries, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
