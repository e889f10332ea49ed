// A tool.
import { defineTool } from '@deepseek-ai/dsh-tools'

export const name = 'word-count'
export const inject = ['tools']

export function apply(ctx) {
  const output = {
    schema: { type: 'object', additionalProperties: false, properties: { words: { type: 'integer', required: true } } },
    render: ({ text }, { words }) => [{ type: 'text', text: `${words} words in ${JSON.stringify(text)}` }],
  }
  ctx.tools.register(
    defineTool({
      name: 'word_count',
      description: 'Count the words of a text.',
      parameters: { text: { type: 'string', required: true } },
      output,
      isConcurrencySafe: () => true,
      execute: async ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
    }),
  )
  ctx.tools.register(
    defineTool({
      name: 'wait',
      description: 'Wait until cancelled.',
      parameters: {},
      output: { schema: { type: 'null' }, render: () => [] },
      timeoutMs: 10,
      execute: (_args, exec) => new Promise((_resolve, reject) => exec.signal.addEventListener('abort', () => reject(exec.signal.reason))),
    }),
  )
}
