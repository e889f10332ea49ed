// A timeout: a wrapper that replaces the signal for the time of the call.
import { TOOL_ABORTED } from '@deepseek-ai/dsh-tools'

export const name = 'deadline'
export const inject = ['tools']

export const apply = (ctx) => {
  ctx.on('tools/execute', async (exec, next) => {
    const ms = ctx.tools.get(exec.name, exec.agent)?.timeoutMs
    if (ms === undefined) return next()
    const caller = exec.signal
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error(`took longer than ${ms} ms`)), ms)
    exec.signal = AbortSignal.any([caller, deadline.signal])
    try {
      const result = await next()
      if (!deadline.signal.aborted || caller.aborted || result.error?.info?.code === TOOL_ABORTED) return result
      const message = `${exec.name} took longer than ${ms} ms`
      const error = { message, info: { name: 'TimeoutError', code: 'TOOL_TIMEOUT' } }
      return { isError: true, error, content: [{ type: 'text', text: `Error: ${message}` }] }
    } finally {
      clearTimeout(timer)
      exec.signal = caller
    }
  })
}
