import { type Host, type ToolExecutor, toToolCallId } from '@dsh/tools'
import { ToolExecutionPipeline } from '@dsh/tools/executor'

/** An executor that runs one call after the other, built on the public doors alone. */
export function directExecutor(host: Host): { readonly executor: ToolExecutor; readonly pipeline: ToolExecutionPipeline } {
  const pipeline = new ToolExecutionPipeline(host)
  const executor: ToolExecutor = {
    describe: (tools) => ({ schemas: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) }),
    async execute({ calls, signal, agent }) {
      const results = []
      for (const { name } of calls) {
        const callId = toToolCallId('direct')
        const result = await pipeline.execute({ callId, name, arguments: {}, signal, ...(agent && { agent }) })
        results.push({ callId, result })
      }
      return { results, additionalContexts: [], concluded: false }
    },
  }
  return { executor, pipeline }
}
