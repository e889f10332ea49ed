import type { Context } from '@deepseek-ai/cordis'
import type { Scope, ScopeKey } from '@dsh/tools'

/** A registered symbol, so that two installed copies of this package see the same scopes. */
export const SCOPE: unique symbol = Symbol.for('@dsh/cordis/scope') as never

/** A context below {@link createScope}; the mark is inherited by every context made from it. */
interface Marked {
  readonly [SCOPE]?: Scope
}

/** The runtime's scope that a context acts in; undefined for the root. */
export function markedScope(ctx: Context): Scope | undefined {
  return (ctx as Marked)[SCOPE]
}

/** The key of the scope a context acts in; undefined for the root. */
export function scopeOf(ctx: Context): ScopeKey | undefined {
  return markedScope(ctx)?.key
}
