import type { ToolExplanation } from '../contract/service.ts'
import { suggestion } from '../outcome/not-found.ts'
import type { ToolScope } from './layer.ts'
import { nearest } from './nearest.ts'
import { lookUp, viewOf } from './view.ts'

/**
 * Say whether a name is callable in a scope, and if not, what hides it.
 * @param admitted - whether a step admits the registration of that name; undefined where no step decides.
 */
export function explain(scope: ToolScope, name: string, admitted: boolean | undefined): ToolExplanation {
  const quoted = JSON.stringify(name)
  if (scope.disposed) {
    return {
      callable: false,
      because: 'disposed',
      shadows: false,
      message: `The scope has been disposed, so ${quoted} cannot be called in it.`,
    }
  }
  const seen = lookUp(scope, name)
  const shadows = scope.layer.tools.has(name) && scope.parent !== undefined && lookUp(scope.parent, name) !== undefined
  if (seen === undefined) return hidden(scope, name, quoted)
  const shadowed = shadows ? ' It shadows an inherited tool of that name.' : ''
  if (admitted === false) {
    const message = `${quoted} is registered, and this step did not admit it: its condition said no, or it changed since.${shadowed}`
    return { callable: false, because: 'not-admitted', shadows, message }
  }
  if (admitted === undefined && seen.when !== undefined) {
    const message = `${quoted} is conditional, and outside a step nothing admits it. Call it with a tool set that tools.resolve() gave.${shadowed}`
    return { callable: false, because: 'conditional', shadows, message }
  }
  const origin = scope.layer.tools.has(name) ? 'own' : 'inherited'
  return {
    callable: true,
    origin,
    shadows,
    message: `${quoted} can be called: it is ${origin === 'own' ? "the scope's own" : 'inherited'}.${shadowed}`,
  }
}

function hidden(scope: ToolScope, name: string, quoted: string): ToolExplanation {
  for (let at: ToolScope | undefined = scope; at; at = at.parent) {
    if (at.layer.tools.has(name)) break
    for (const { hides, filter } of at.layer.restrictions) {
      if (!hides(name) || !at.parent || !registeredAbove(at.parent, name)) continue
      const where = at === scope ? 'this scope' : 'a scope above'
      const message = `${quoted} is registered, and a restriction of ${where} hides it: ${JSON.stringify(filter)}.`
      return { callable: false, because: 'restricted', restriction: filter, shadows: false, message }
    }
  }
  const near = nearest(name, viewOf(scope).byName.keys())
  return {
    callable: false,
    because: 'unknown',
    nearest: near,
    shadows: false,
    message: `There is no tool named ${quoted} here. ${suggestion(near)}`,
  }
}

function registeredAbove(scope: ToolScope, name: string): boolean {
  for (let at: ToolScope | undefined = scope; at; at = at.parent) if (at.layer.tools.has(name)) return true
  return false
}
