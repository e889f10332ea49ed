import { defineTool, type Plugin, type ToolDefinition } from '@dsh/tools'

/** A tool that only the demo has: it does not answer in time. */
export const demoTools: Plugin = {
  name: 'demo-tools',
  inject: ['tools'],
  apply(host) {
    host.tools.register(oracleTool)
  },
}

const oracleTool: ToolDefinition = defineTool({
  name: 'oracle',
  description: 'Answers questions, given time.',
  parameters: { question: { type: 'string', required: true } },
  output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value }] },
  timeoutMs: 400,
  effects: 'none',
  presentCall: ({ question }) => ({ card: 'generic', title: question }),
  /** It thinks until it is told to stop, and then needs a moment. */
  execute: (_args, exec) =>
    new Promise<string>((resolve) => {
      exec.signal.addEventListener('abort', () => setTimeout(() => resolve('42'), 50), { once: true })
    }),
})
