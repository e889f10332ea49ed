import type { FileLineMatch } from './find-matches.ts'
import type { GrepFile, GrepMatch } from './grep-value.ts'

/** Group sorted matches by file. */
export function groupMatches(matches: readonly FileLineMatch[]): GrepFile[] {
  const groups: { readonly path: string; readonly matches: GrepMatch[] }[] = []
  for (const { path, line, text, cut } of matches) {
    const match = { line, text, ...(cut === undefined ? {} : { cut }) }
    const last = groups.at(-1)
    if (last?.path === path) last.matches.push(match)
    else groups.push({ path, matches: [match] })
  }
  return groups
}
