// The application: it mounts the service, which it imports by the name it is given, and the plugins; and prints what calls come to.
import { Context } from '@deepseek-ai/cordis'
import * as deadline from 'deadline'
import Gate from 'gate'
import * as wordCount from 'word-count'

const { default: ToolsService } = await import(process.argv[2])
const ctx = new Context()
await ctx.plugin(ToolsService)
const words = ctx.plugin(wordCount)
await words
await ctx.plugin(Gate, { secret: 'hunter2' })
await ctx.plugin(deadline)

const run = async (name, args) => {
  const calls = [{ type: 'tool-call', callId: 'c', name, arguments: JSON.stringify(args) }]
  const { results } = await ctx.tools.execute({ calls, signal: new AbortController().signal })
  return results[0].result
}
const outcome = ({ isError, error, content }) => ({ isError, code: error?.info?.code, text: content[0].text })
const outcomes = {
  counted: outcome(await run('word_count', { text: 'one two three' })),
  invalid: outcome(await run('word_count', { text: 3 })),
  denied: outcome(await run('word_count', { text: 'my hunter2' })),
  late: outcome(await run('wait', {})),
}
await words.dispose()
outcomes.gone = ctx.tools.schemas().length
console.log(JSON.stringify(outcomes))
