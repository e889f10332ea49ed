import { brand } from '../json/brand.ts'
import { failure } from './failures.ts'

/** No callable tool of that name. Calls fail with it as a value (`UNKNOWN_TOOL`); it is thrown to code that asks by name. */
export class ToolNotFoundError extends Error {
  readonly code = 'UNKNOWN_TOOL'
  readonly tool: string
  /** Names close to the one asked for. */
  readonly nearest: readonly string[]

  constructor(tool: string, nearest: readonly string[] = []) {
    super(failure('UNKNOWN_TOOL', tool, suggestion(nearest)).message)
    this.name = 'ToolNotFoundError'
    this.tool = tool
    this.nearest = nearest
  }
}
brand(ToolNotFoundError, 'ToolNotFoundError')

/** What to do next about an unknown name. */
export function suggestion(nearest: readonly string[]): string {
  if (nearest.length === 0) return 'Call one of the tools you were given, by its exact name.'
  return `Did you mean ${nearest.map((name) => JSON.stringify(name)).join(' or ')}?`
}
