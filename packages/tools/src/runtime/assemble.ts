import type { Scoped, ToolsService } from '../contract/service.ts'
import { NativeExecutor } from '../executor/native.ts'
import { KeyLocks } from '../pipeline/key-locks.ts'
import { SignalHubs } from '../pipeline/signals.ts'
import { createLayer, type ToolScope } from '../registry/layer.ts'
import { Registry } from '../registry/registry.ts'
import { ScopeTree } from '../scope/scope-tree.ts'
import { provideService } from '../scope/services.ts'
import { Hooks } from './hooks.ts'
import { Kernel } from './kernel.ts'
import type { RuntimeSettings } from './options.ts'
import type { SharedRuntime } from './shared.ts'

/** Put together what all scopes of a runtime share. */
export function assemble(settings: RuntimeSettings): SharedRuntime {
  const { clock, limits, logger } = settings
  const tree = new ScopeTree(createLayer)
  const hooks = new Hooks(tree, logger)
  const facades = new WeakMap<ToolScope, Scoped<ToolsService>>()
  const toolsOf = (scope: ToolScope) => facades.get(scope) as Scoped<ToolsService>
  const { observerFailed, failed: policyFailed } = hooks
  const report = hooks.report.bind(hooks)
  const signals = new SignalHubs()
  const keys = new KeyLocks()
  const kernel = new Kernel({ tree, clock, limits, signals, keys, toolsOf, report, policyFailed, observerFailed })
  let native: NativeExecutor | undefined
  const shared: SharedRuntime = {
    tree,
    hooks,
    facades,
    kernel,
    registry: new Registry(hooks),
    get native() {
      native ??= new NativeExecutor({ tools: toolsOf(tree.root) }, settings.maxParallelToolCalls)
      return native
    },
  }
  tree.root.servicesOutside = settings.services
  provideService(tree.root, 'logger', logger)
  provideService(tree.root, 'clock', clock)
  return shared
}
