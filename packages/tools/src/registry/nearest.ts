const MAX_NAMES = 3
const MAX_LENGTH = 64

/**
 * Names close to one that does not exist: equal but for case, spaces and separators, behind a namespace prefix
 * (`functions.search`), or a few edits away. Closest first, at most three.
 */
export function nearest(name: string, names: Iterable<string>): string[] {
  const asked = normal(name.slice(0, 2 * MAX_LENGTH))
  const last = normal(name.split(/[./:]/).at(-1) ?? name).slice(0, MAX_LENGTH)
  const ranked: { readonly name: string; readonly distance: number }[] = []
  for (const candidate of names) {
    const normalised = normal(candidate)
    const limit = Math.max(1, Math.floor(normalised.length / 3))
    const distance = Math.min(editDistance(asked.slice(0, MAX_LENGTH), normalised, limit), editDistance(last, normalised, limit))
    if (distance <= limit) ranked.push({ name: candidate, distance })
  }
  return ranked
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map((entry) => entry.name)
}

function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}

/** Edit distance, a swap of neighbours counting as one, or `limit + 1` as soon as it must be more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforePrevious: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitute = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swap = swapped ? (beforePrevious[column - 2] as number) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(substitute, swap, (previous[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    if (Math.min(...current) > limit) return limit + 1
    beforePrevious = previous
    previous = current
  }
  return previous[b.length] as number
}
