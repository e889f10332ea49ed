import { stripVTControlCharacters } from 'node:util'
import type { ToolResultView } from '@dsh/tools/presentation'
import { diffLines } from '../text/diff-lines.ts'
import { firstUnits, printable, printableLine } from '../text/printable.ts'
import type { Style } from '../text/style.ts'
import { cutToWidth } from '../text/width.ts'

const MAX_CHANGES = 3
const MAX_SIDE_LINES = 6
const MAX_OUTPUT_LINES = 10
/** The longest line that is looked at, in UTF-16 units: no terminal is wider. */
const MAX_UNITS = 1_000

/**
 * What stands below the line of a settled call: the change as it was applied, or the end of what a command wrote. Bounded in height, cut to the
 * terminal's width, and empty for other cards, which their line sums up. A card of another shape than it says has no body.
 */
export function cardBody(card: unknown, style: Style): string[] {
  try {
    return bodyOf(card as ToolResultView, style).map((line) => `  ${line}`)
  } catch {
    return [] // a log holds cards of any shape: an unusable one costs itself, not the line of its call
  }
}

function bodyOf(view: ToolResultView, { color, columns = Number.POSITIVE_INFINITY }: Style): string[] {
  const room = columns - 4 // the indent, and the mark of a line
  const cut = (text: string, width: number) => cutToWidth(printable(firstUnits(text, MAX_UNITS).replaceAll('\t', '  ')), width)
  const fit = (text: string) => cut(text, Math.max(10, room))
  const path = (text: string, taken: number) => cut(printableLine(text), Math.max(4, room + 2 - taken))
  switch (view.card) {
    case 'diff': {
      const show = (lines: readonly string[]) => [
        ...lines.slice(0, MAX_SIDE_LINES).map(fit),
        ...more(lines.length - MAX_SIDE_LINES, 'line'),
      ]
      const shown = diffLines(view.diffs, { color, show, path, maxChanges: MAX_CHANGES })
      return [...shown, ...more(view.diffs.length - MAX_CHANGES, 'change').map((line) => color.dim(line))]
    }
    case 'terminal': {
      const lines = stripVTControlCharacters(view.output ?? '')
        .trimEnd()
        .split(/\r?\n/)
      const tail = lines.length === 1 && lines[0] === '' ? [] : lines.slice(-MAX_OUTPUT_LINES).map(fit)
      const above = more(lines.length - MAX_OUTPUT_LINES, 'line').map((line) => color.dim(`${line} above`))
      return [...above, ...tail, ...endOf(view).map((line) => color.red(fit(line)))]
    }
    default:
      return []
  }
}

/** How a command ended, unless it ended well. */
function endOf({ exitCode, signal }: Extract<ToolResultView, { card: 'terminal' }>): string[] {
  if (signal !== undefined) return [`ended by ${signal}`]
  return exitCode === undefined || exitCode === 0 ? [] : [`exit ${exitCode}`]
}

function more(count: number, what: string): string[] {
  return count > 0 ? [`… ${count.toLocaleString('en')} more ${what}${count === 1 ? '' : 's'}`] : []
}
