import type { ScopeNode } from './scope-tree.ts'

/** Provide a service in a scope. The newest of a scope wins. @returns what withdraws it. */
export function provideService(node: ScopeNode<unknown>, name: string, service: unknown): () => void {
  const entry = { service }
  const stack = node.services.get(name) ?? []
  node.services.set(name, [...stack, entry])
  return () => {
    node.services.set(
      name,
      (node.services.get(name) ?? []).filter((other) => other !== entry),
    )
  }
}

/** The nearest service of that name, or the one outside. A disposed scope finds none. */
export function serviceAt(node: ScopeNode<unknown>, name: string): unknown {
  if (node.disposed) return undefined
  for (let at = node; ; at = at.parent) {
    const newest = at.services.get(name)?.at(-1)
    if (newest !== undefined) return (newest as { readonly service: unknown }).service
    if (at.parent === undefined) return at.servicesOutside?.(name, node.key)
  }
}
