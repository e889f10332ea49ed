import { NativeExecutor } from '../executor/native.ts'
import { SignalHubs } from '../pipeline/signals.ts'
import { createLayer, type ToolScope } from '../registry/layer.ts'
import { Registry } from '../registry/registry.ts'
import { Lifetime } from '../scope/lifetime.ts'
import { ScopeTree } from '../scope/scope-tree.ts'
import { provideService } from '../scope/services.ts'
import { Hooks } from './hooks.ts'
import { Kernel } from './kernel.ts'
import type { RuntimeSettings } from './options.ts'
import type { SharedRuntime } from './shared.ts'
import { ScopedTools } from './tools-service.ts'

/** Put together what all scopes of a runtime share. */
export function assemble(settings: RuntimeSettings): SharedRuntime {
  const { clock, limits, logger } = settings
  const tree = new ScopeTree(createLayer)
  const hooks = new Hooks(tree, logger)
  const facades = new WeakMap<ToolScope, ScopedTools>()
  /** The one `tools` of a scope that its listeners get as `this`. What is registered through it stays as long as the runtime. */
  const toolsOf = (scope: ToolScope): ScopedTools => {
    const facade = facades.get(scope) ?? new ScopedTools(shared, { scope, lifetime: new Lifetime(hooks.failed) })
    facades.set(scope, facade)
    return facade
  }
  const { observerFailed } = hooks
  const report = hooks.report.bind(hooks)
  const kernel = new Kernel({ tree, clock, limits, signals: new SignalHubs(), toolsOf, report, observerFailed })
  let native: NativeExecutor | undefined
  const shared: SharedRuntime = {
    tree,
    hooks,
    kernel,
    registry: new Registry(hooks),
    get native() {
      native ??= new NativeExecutor({ tools: toolsOf(tree.root) }, settings.maxParallelToolCalls)
      return native
    },
  }
  provideService(tree.root, 'logger', logger)
  provideService(tree.root, 'clock', clock)
  return shared
}
