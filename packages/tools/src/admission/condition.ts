import type { ResolvedToolSet, ToolActivationContext } from '../contract/tool.ts'
import type { ToolScope } from '../registry/layer.ts'
import { viewOf } from '../registry/view.ts'
import { StepToolSet } from './tool-set.ts'

/**
 * Evaluate every condition of a step concurrently, once.
 * @throws the signal's reason when it fires, or what the first failing condition threw, after all of them have settled:
 * nothing partial is ever returned.
 */
export async function resolveToolSet(scope: ToolScope, context: ToolActivationContext): Promise<ResolvedToolSet> {
  context.signal.throwIfAborted()
  const candidates = [...viewOf(scope).byName]
  const verdicts = await Promise.allSettled(candidates.map(async ([, { when }]) => (when === undefined ? true : await when(context))))
  context.signal.throwIfAborted()
  const broken = verdicts.find((verdict) => verdict.status === 'rejected')
  if (broken) throw broken.reason
  const admitted = candidates.filter((_, index) => (verdicts[index] as PromiseFulfilledResult<boolean>).value === true)
  return new StepToolSet(context.agent, scope, new Map(admitted))
}
