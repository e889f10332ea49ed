import type { ToolCallId } from '../contract/tool.ts'

const run = Math.random().toString(36).slice(2, 8)
let made = 0

/** Take a text as the id of a call. @throws TypeError when it is empty or no text. */
export function toToolCallId(text: string): ToolCallId {
  if (typeof text !== 'string' || text === '') throw new TypeError('A call id must be a non-empty text.')
  return text as ToolCallId
}

/** An id for a call that came without one. */
export function freshCallId(): ToolCallId {
  return `call_${run}_${(++made).toString(36)}` as ToolCallId
}
