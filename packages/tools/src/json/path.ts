import { excerpt } from './text.ts'

/** The way from a root to a part of it: property names and indices. */
export type Path = readonly (string | number)[]

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const MAX_KEY = 60
/** How many characters of a long path are shown on each side of what is left out. */
const HALF = 90

/** A path for people, from the root `$`. A long one is shortened in the middle, to about 200 characters; a long key at its end. */
export function formatPath(path: Path, root = '$'): string {
  let head = ''
  let next = 0
  while (next < path.length && head.length < HALF) head += formatStep(path[next++] as string | number)
  let tail = ''
  let last = path.length
  while (last > next && tail.length < HALF) tail = formatStep(path[--last] as string | number) + tail
  return `${root}${head}${last > next ? '…' : ''}${tail}`
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  const key = excerpt(step, MAX_KEY)
  return IDENTIFIER.test(key) ? `.${key}` : `["${excerpt(JSON.stringify(key).slice(1, -1), MAX_KEY)}"]`
}
