import type { Context } from '@deepseek-ai/cordis'
import type { Logger } from '@dsh/tools/ports'

/** The log of a Cordis application, as the runtime writes to it. */
export function cordisLogger(ctx: Context): Logger {
  const log = ctx.logger('tools')
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, detail?: unknown): void => {
      // '%s' because Cordis reads the first argument as a format, and a message may hold a percent sign
      if (detail === undefined) log[level]('%s', message)
      else log[level]('%s', message, detail instanceof Error ? (detail.stack ?? detail.message) : detail)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
