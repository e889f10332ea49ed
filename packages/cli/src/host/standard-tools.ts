import { join } from 'node:path'
import { fileTools, jobTools, readBeforeWrite, resultTools, shellTools, workspaceGuard } from '@dsh/toolkit'
import type { Scope } from '@dsh/tools'
import { repeatGuard } from '@dsh/tools/policies/repeat-guard'
import { spillPolicy } from '@dsh/tools/policies/spill'

/** Long results are kept beside the sessions, so that another command can read them by their locators. */
const RESULTS = join('.dsh', 'results')

/**
 * Mount the standard tools over a folder, and the policies they need.
 * @param forModel - whether a model calls them: it may write only what it has read, its long results are kept aside, and it is stopped when
 * it goes round in circles. A person gets what they ask for, whole and as often as they like.
 */
export async function mountStandardTools(runtime: Scope, root: string, { forModel }: { readonly forModel: boolean }): Promise<void> {
  await runtime.plugin(workspaceGuard, { roots: [root] })
  await runtime.plugin(fileTools, { root })
  await runtime.plugin(jobTools) // before the shell, which asks for jobs when it makes its tool
  await runtime.plugin(shellTools, { root })
  await runtime.plugin(resultTools, { folder: join(root, RESULTS) })
  if (!forModel) return
  await runtime.plugin(readBeforeWrite)
  await runtime.plugin(spillPolicy)
  await runtime.plugin(repeatGuard)
}
