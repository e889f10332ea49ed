import type { ToolRestriction } from '../contract/tool.ts'
import { nearest } from './nearest.ts'

/** A restriction with its names as sets, and the filter it came from. */
export interface CompiledRestriction {
  readonly filter: ToolRestriction
  hides(name: string): boolean
}

/** Compile a filter. */
export function compileRestriction(filter: ToolRestriction): CompiledRestriction {
  const allow = filter.allow && new Set(filter.allow)
  const deny = new Set(filter.deny)
  const kept: ToolRestriction = Object.freeze({
    ...(filter.allow && { allow: Object.freeze([...filter.allow]) }),
    ...(filter.deny && { deny: Object.freeze([...filter.deny]) }),
  })
  return { filter: kept, hides: (name) => deny.has(name) || (allow !== undefined && !allow.has(name)) }
}

/**
 * What is wrong with a filter for a scope that inherits `inherited` and registers `own` itself.
 * A restriction filters what is inherited, so every name in it must be.
 */
export function restrictionProblems(filter: ToolRestriction, inherited: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  const lists = Object.entries({ allow: filter.allow, deny: filter.deny }).filter(([, names]) => names !== undefined)
  if (lists.length === 0) return ['it is empty: give allow, deny or both']
  const problems: string[] = []
  for (const [kind, names] of lists) {
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
      problems.push(`${kind} must be an array of tool names`)
      continue
    }
    if (kind === 'deny' && names.length === 0) problems.push('deny is empty: name what to hide, or leave it out')
    for (const name of names) problems.push(...nameProblems(name, inherited, own))
  }
  return problems
}

function nameProblems(name: string, inherited: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  if (name === 'run_code') return ['"run_code" is a transport and cannot be restricted']
  if (inherited.has(name)) return []
  if (own.has(name)) return [`${JSON.stringify(name)} is registered in this scope itself, and a restriction filters what is inherited`]
  const near = nearest(name, inherited)
  const hint = near.length > 0 ? `; did you mean ${near.map((other) => JSON.stringify(other)).join(' or ')}?` : ''
  return [`${JSON.stringify(name)} is not a tool this scope inherits${hint}`]
}
