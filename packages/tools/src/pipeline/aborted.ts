import type { ToolExecutionFailure } from '../contract/tool.ts'
import { afterEffects } from '../outcome/after-effects.ts'
import { failedWith } from '../outcome/outcome.ts'
import type { Invocation } from './invocation.ts'

/** The outcome of a call whose caller is gone: by whether its body ever began. */
export function aborted({ attempts, definition, exec }: Invocation): ToolExecutionFailure {
  if (!attempts.started) return failedWith('ABORTED_BEFORE_DISPATCH', exec.name)
  return failedWith('ABORTED', exec.name, afterEffects(definition?.effects))
}
