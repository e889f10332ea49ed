import { assemble } from './assemble.ts'
import { type RuntimeOptions, toSettings } from './options.ts'
import { RuntimeScope } from './runtime-scope.ts'
import type { Scope } from './scope.ts'

/**
 * Make a runtime. Its root scope is what comes back.
 *
 * @example
 * const runtime = createRuntime()
 * runtime.tools.register(weather)
 * const result = await runtime.call('weather', { city: 'Oslo' })
 * @throws TypeError naming an option that is out of range.
 */
export function createRuntime(options: RuntimeOptions = {}): Scope {
  const shared = assemble(toSettings(options))
  return new RuntimeScope(shared, shared.tree.root)
}
