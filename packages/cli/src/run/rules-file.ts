import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApprovalRule } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { systemReason, UsageError } from '../usage-error.ts'

/**
 * The rules of a file: a JSON list of { tool, when?, decide, reason }. What they say is checked where they are mounted.
 * @throws UsageError naming the file.
 */
export function readRules(io: CliIo, file: string): readonly ApprovalRule[] {
  const wayOut = 'Name a file that holds a JSON list of { "tool", "when"?, "decide", "reason" }.'
  let text: string
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`--rules ${file}: ${systemReason(error)}. ${wayOut}`, { cause: error })
  }
  try {
    const rules: unknown = JSON.parse(text)
    if (Array.isArray(rules)) return rules as readonly ApprovalRule[]
  } catch (error) {
    throw new UsageError(`--rules ${file}: it is not JSON: ${error instanceof Error ? error.message : String(error)}. ${wayOut}`, {
      cause: error,
    })
  }
  throw new UsageError(`--rules ${file}: it holds no list. ${wayOut}`)
}
