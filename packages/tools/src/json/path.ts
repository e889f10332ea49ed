import { excerpt } from './text.ts'

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const MAX_STEPS = 12

/** A path for people, from the root `$`. A long one is shortened in the middle, a long key at its end. */
export function formatPath(steps: readonly (string | number)[], root = '$'): string {
  if (steps.length <= MAX_STEPS) return root + steps.map(formatStep).join('')
  const half = MAX_STEPS / 2
  return `${root}${steps.slice(0, half).map(formatStep).join('')}…${steps.slice(-half).map(formatStep).join('')}`
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  const key = excerpt(step, 60)
  return IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
