import { createRuntime, type ToolDefinition, type ToolRunContext } from '@dsh/tools'
import type { ToolResultView } from '@dsh/tools/presentation'

/** What a call came to: `V` in `value` and its text and card, or an error. */
export interface Ran<V> {
  readonly value: V
  readonly text: string
  readonly view: ToolResultView | undefined
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

/** Run one call through the whole pipeline: arguments, value and card are what a model, a program and a person would get. */
export async function runTool<V>(tool: ToolDefinition, args: object): Promise<Ran<V>> {
  const runtime = createRuntime()
  runtime.tools.register(tool)
  const result = await runtime.call(tool.name, args)
  const view = tool.presentResult?.(args, result)
  const text = result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('')
  if (!result.isError) return { value: result.value as V, text, view }
  return { value: undefined as V, text, view, error: { code: result.error.info?.code, message: result.error.message } }
}

/** Run the body alone, with a signal of the test's. */
export function runBody(tool: ToolDefinition, args: object, signal: AbortSignal): Promise<unknown> {
  return tool.execute(args, { signal } as ToolRunContext)
}
