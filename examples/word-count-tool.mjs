// A tool of your own. Try it:  npm start -- --use examples/word-count-tool.mjs call word_count --arg text="to be or not to be"
import { defineTool } from '@dsh/tools'

const wordCount = defineTool({
  name: 'word_count',
  description: 'Count the words of a text.',
  parameters: {
    text: { type: 'string', required: true, description: 'The text to count in.' },
    unique: { type: 'boolean', description: 'Count each word once.' },
  },
  output: {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { words: { type: 'integer', required: true } },
    },
    render: (_args, value) => [{ type: 'text', text: `${value.words} words` }],
  },
  effects: 'none',
  isConcurrencySafe: () => true,
  presentCall: ({ text }) => ({ card: 'generic', title: `Count words of ${JSON.stringify(text.slice(0, 40))}`, kind: 'read' }),
  async execute({ text, unique = false }) {
    const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
    return { words: unique ? new Set(words).size : words.length }
  },
})

export default {
  name: 'word-count',
  inject: ['tools'],
  apply(host) {
    host.tools.register(wordCount)
  },
}
