import type { ToolDefinition, ToolExecutionMode } from '../contract/tool.ts'
import { accessOf } from '../pipeline/access.ts'
import { syncAnswer } from '../pipeline/sync-answer.ts'

const PARALLEL: ToolExecutionMode = Object.freeze({ kind: 'parallel' })
const EXCLUSIVE: ToolExecutionMode = Object.freeze({ kind: 'exclusive' })

/** How a pending call may overlap. Only a classifier that names keys or answers `true` opts in: unknown, silent and failing ones do not. */
export function classify(definition: ToolDefinition | undefined, args: unknown): ToolExecutionMode {
  try {
    const access = definition && accessOf(definition, args)
    if (access) return Object.freeze({ kind: 'keyed', reads: access.reads, writes: access.writes })
    return syncAnswer(definition?.isConcurrencySafe?.(args), 'isConcurrencySafe()') === true ? PARALLEL : EXCLUSIVE
  } catch {
    return EXCLUSIVE // by contract: a classifier that throws has not opted in
  }
}
