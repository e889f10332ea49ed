import type { ToolAccess, ToolDefinition } from '../contract/tool.ts'
import { syncAnswer } from './sync-answer.ts'

/**
 * The keys of a pending call; undefined for a tool that has none to name.
 * @throws TypeError for an answer that is none, and whatever the tool threw.
 */
export function accessOf(definition: ToolDefinition, args: unknown): Required<ToolAccess> | undefined {
  if (definition.access === undefined) return undefined
  const answer: unknown = syncAnswer(definition.access(args), 'access()')
  if (answer === undefined) return undefined
  if (typeof answer !== 'object' || answer === null) throw new TypeError('access() answered neither keys nor undefined')
  const { reads, writes } = answer as ToolAccess
  return { reads: keysOf(reads, 'reads'), writes: keysOf(writes, 'writes') }
}

function keysOf(keys: unknown, field: string): readonly string[] {
  if (keys === undefined) return []
  const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'string')
  if (!isList) throw new TypeError(`access().${field} is not a list of strings`)
  return Object.freeze([...keys])
}
