import type { FileDiff } from '@dsh/tools/presentation'
import { changeOf, type LineChange } from './changed-lines.ts'
import type { Style } from './style.ts'

/** How many unchanged lines stand on each side of a change. */
const CONTEXT = 2

/** How a change is drawn. */
export interface DiffLinesOptions {
  readonly color: Style['color']
  /** Lines of one kind, made printable: and how much of them is shown. */
  readonly show: (lines: readonly string[]) => readonly string[]
  /** A path, made printable; so many columns of its line are taken. */
  readonly path: (path: string, taken: number) => string
  /** How many changes are drawn; the counts are of all. Default: every one. */
  readonly maxChanges?: number
}

/** Changes as lines: the path with its counts once for all changes of a file that follow each other, then what went and what came. */
export function diffLines(diffs: readonly FileDiff[], options: DiffLinesOptions): string[] {
  const { color } = options
  const changes = diffs.map((diff) => ({ ...diff, change: changeOf(diff) }))
  return changes.slice(0, options.maxChanges).flatMap(({ path, oldText, newText, change }, index) => {
    if (index > 0 && changes[index - 1]?.path === path) return [color.dim('⋯'), ...changeLines(change, options)]
    const after = changes.slice(index)
    const other = after.findIndex((each) => each.path !== path)
    const hunks = other < 0 ? after : after.slice(0, other)
    const added = hunks.reduce((sum, each) => sum + each.change.added.length, 0)
    const removed = hunks.reduce((sum, each) => sum + each.change.removed.length, 0)
    const isNew = oldText === null ? ' (a new file)' : ''
    const isOnlyEnd = oldText !== newText && hunks.length === 1 && added === 0 && removed === 0
    const counts = isOnlyEnd
      ? [' only the line break at its end']
      : [` +${added.toLocaleString('en')}`, ` -${removed.toLocaleString('en')}`]
    const [came = '', went = ''] = counts
    const shownPath = options.path(path, isNew.length + came.length + went.length)
    const shownCounts = isOnlyEnd ? color.dim(came) : color.green(came) + color.red(went)
    return [color.bold(shownPath) + color.dim(isNew) + shownCounts, ...changeLines(change, options)]
  })
}

function changeLines({ before, removed, added, after }: LineChange, { color, show }: DiffLinesOptions): string[] {
  return [
    ...show(before.slice(-CONTEXT)).map((line) => color.dim(`  ${line}`)),
    ...show(removed).map((line) => color.red(`- ${line}`)),
    ...show(added).map((line) => color.green(`+ ${line}`)),
    ...show(after.slice(0, CONTEXT)).map((line) => color.dim(`  ${line}`)),
  ]
}
