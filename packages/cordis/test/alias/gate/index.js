// A permission gate: a class, as plugins of that style often are.
import { RUN_CODE_NAME } from '@deepseek-ai/dsh-tools'

export default class Gate {
  static inject = ['tools']

  constructor(ctx, { secret }) {
    ctx.on('tools/pre-execute', async (exec, next) => {
      if (exec.name === RUN_CODE_NAME) return next() // its sub-calls come here themselves
      const found = JSON.stringify(exec.arguments).includes(secret)
      return found ? { kind: 'deny', reason: `the arguments name ${secret}` } : next()
    })
    ctx.tools.guard((exec) => (exec.name === 'never' ? 'never is never called' : undefined))
  }
}
