import type { Logger } from '../contract/ports.ts'
import type { ToolDiagnostic } from '../contract/tool.ts'
import { thrownText } from '../outcome/thrown.ts'
import type { ToolLayer, ToolScope } from '../registry/layer.ts'
import type { RegistryObserver } from '../registry/registry.ts'
import { listenersAt } from '../scope/listeners.ts'
import type { ScopeTree } from '../scope/scope-tree.ts'
import { emit, type ListenerError } from '../scope/waterfall.ts'

/** What the runtime itself tells: changes, diagnostics, and failures that nobody waits for. */
export class Hooks implements RegistryObserver {
  readonly #tree: ScopeTree<ToolLayer>
  readonly #logger: Logger
  /** Mounts that wait for services. */
  readonly serviceWatchers: Set<() => void> = new Set()

  constructor(tree: ScopeTree<ToolLayer>, logger: Logger) {
    this.#tree = tree
    this.#logger = logger
  }

  report(diagnostic: ToolDiagnostic, scope: ToolScope): void {
    const told = Object.freeze({ ...diagnostic })
    this.#log('warn', `dsh: ${told.kind}: ${told.message}`, told.detail)
    void emit(listenersAt(scope).of('tools/diagnostic'), undefined, [told], this.observerFailed)
  }

  readonly observerFailed = (error: ListenerError): void => this.failed(error)

  /** Something broke that nobody waits for. */
  readonly failed = (error: unknown): void => {
    this.#log('error', `dsh: ${thrownText(error)}`, error)
  }

  changed(): void {
    void emit(listenersAt(this.#tree.root).of('tools/change'), undefined, [], this.observerFailed)
  }

  /** Those above are told, for what was added in the scope itself has just gone. */
  disposed({ key, parent }: ToolScope): void {
    if (key !== undefined && parent) void emit(listenersAt(parent).of('tools/disposed'), undefined, [key], this.observerFailed)
  }

  ambiguous(tool: string, message: string, scope: ToolScope): void {
    this.report({ kind: 'ambiguous-schema', message, tool }, scope)
  }

  servicesChanged(): void {
    for (const changed of [...this.serviceWatchers]) changed()
  }

  #log(level: 'warn' | 'error', message: string, detail: unknown): void {
    try {
      this.#logger[level](message, detail)
    } catch {
      // the host's own logger failed, so there is nobody left to tell
    }
  }
}
