// A tool with effects: it appends a line to a file, so repeating it is not the same as doing it once.
import { appendFile } from 'node:fs/promises'
import { defineTool } from '@dsh/tools'

const appendNote = defineTool({
  name: 'append_note',
  description: 'Append a line to notes.txt in the folder where dsh was started.',
  parameters: { text: { type: 'string', required: true } },
  output: { schema: { type: 'object', additionalProperties: false, properties: { file: { type: 'string', required: true } } } },
  effects: 'unknown',
  presentCall: ({ text }) => ({ card: 'generic', title: `Note ${JSON.stringify(text)}`, kind: 'edit' }),
  async execute({ text }, { signal }) {
    signal.throwIfAborted()
    await appendFile('notes.txt', `${text}\n`)
    return { file: 'notes.txt' }
  },
})

export default {
  name: 'append-note',
  inject: ['tools'],
  apply(host) {
    host.tools.register(appendNote)
  },
}
