const MAX_NAMES = 3
const MAX_LENGTH = 64

/** Names a person may have meant by `name`: equal but for case and separators, an extension away, or a few edits away. Closest first. */
export function nearestNames(name: string, names: Iterable<string>): string[] {
  const asked = normal(name)
  const ranked: { readonly name: string; readonly distance: number }[] = []
  for (const candidate of names) {
    const near = normal(candidate)
    const limit = Math.max(1, Math.floor(Math.max(asked.length, near.length) / 3))
    const distance = stem(asked) === stem(near) ? Math.min(1, limit) : editDistance(asked, near, limit)
    if (distance <= limit) ranked.push({ name: candidate, distance: asked === near ? 0 : distance })
  }
  return ranked
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map((entry) => entry.name)
}

function normal(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .slice(0, MAX_LENGTH)
}

function stem(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

/** Edits from one to the other, a swap of neighbours being one; `limit + 1` as soon as it must be more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitute = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      const swaps = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swap = swaps ? (beforePrevious[column - 2] ?? limit) + 1 : limit + 1
      current.push(Math.min(substitute, swap, previous[column]! + 1, current[column - 1]! + 1))
    }
    if (Math.min(...current) > limit && Math.min(...previous) > limit) return limit + 1
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}
