import type { ModelUsage } from '@dsh/tools/ports'

/** The sum of what requests cost; what neither of them tells is absent. */
export function addUsage(a: ModelUsage | undefined, b: ModelUsage | undefined): ModelUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const sum: Record<string, number> = { ...a }
  for (const [key, tokens] of Object.entries(b)) sum[key] = (sum[key] ?? 0) + tokens
  return sum
}
