import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, type Host, type Plugin, type ToolDefinition, ToolError } from '@dsh/tools'

/** Tools that only the demo has: one that changes a file, and one that does not answer in time. */
export const demoTools: Plugin<{ readonly root: string }> = {
  name: 'demo-tools',
  inject: ['tools'],
  apply(host: Host, { root }) {
    host.tools.register(editTool(root))
    host.tools.register(oracleTool)
  },
}

function editTool(root: string): ToolDefinition {
  return defineTool({
    name: 'edit',
    description: 'Replace a text that stands once in a file.',
    parameters: {
      path: { type: 'string', required: true },
      find: { type: 'string', required: true },
      replace: { type: 'string', required: true },
    },
    output: {
      schema: { type: 'object', properties: { line: { type: 'integer', required: true } }, additionalProperties: false },
      render: ({ path }, { line }) => [{ type: 'text', text: `Replaced line ${line} of ${path}.` }],
    },
    presentCall: ({ path, find, replace }) => ({ card: 'diff', title: path, diffs: [{ path, oldText: find, newText: replace }] }),
    presentResult: ({ path, find, replace }, { isError }) =>
      isError ? undefined : { card: 'diff', title: path, diffs: [{ path, oldText: find, newText: replace }] },
    async execute({ path, find, replace }) {
      const file = join(root, path)
      const [before = '', after, ...more] = (await readFile(file, 'utf8')).split(find)
      if (after === undefined || more.length > 0) {
        throw new ToolError(`${path} holds the text ${more.length > 0 ? 'more than once' : 'nowhere'}: send one that stands there once.`, {
          code: 'NO_SINGLE_MATCH',
        })
      }
      await writeFile(file, before + replace + after)
      return { line: before.split('\n').length }
    },
  })
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
