import type { ApprovalCard } from '@dsh/agent'
import type { FileDiff, ToolCallView } from '@dsh/tools/presentation'
import { diffLines } from '../text/diff-lines.ts'
import { firstUnits, printable, printableLine } from '../text/printable.ts'
import type { Style } from '../text/style.ts'

const MAX_TEXT = 2_000
const MAX_LINES = 40

/** What is shown with a request. */
export interface CardLinesOptions {
  readonly style: Style
  readonly position: number
  readonly waiting: number
}

/** What a person reads before they decide on a call: what it is and why they are asked, for whom, and what it would do. Nothing is left out silently. */
export function cardLines(card: ApprovalCard, { style: { color }, position, waiting }: CardLinesOptions): string[] {
  const { tool, reason, displayReason, path } = card
  const why = displayReason?.['en'] ?? reason
  const queue = waiting > 1 ? color.dim(` (${position} of ${waiting} that wait)`) : ''
  const whom = path.length > 1 ? [color.dim(`  for ${path.map(printableLine).join(' › ')}`)] : []
  return [
    '',
    `${color.yellow('?')} ${color.bold(printableLine(tool))} asks to run${why === undefined ? '' : `: ${printableLine(why)}`}${queue}`,
    ...whom,
    ...bodyOf(card, color).map((line) => `  ${line}`),
  ]
}

function bodyOf({ view, arguments: args }: ApprovalCard, color: Style['color']): string[] {
  const shown = view as ToolCallView | undefined
  const all = JSON.stringify(args, null, 2)
  if (shown?.card === 'diff') return [...changeLines(shown.diffs, color), ...argumentLines(args, color)]
  if (shown?.card === 'terminal') {
    const where = shown.cwd === undefined ? [] : [color.dim(`in ${printableLine(shown.cwd)}`)]
    const about = shown.description === undefined ? [] : textLines(printableLine(shown.description), 1).map((line) => color.dim(line))
    return [...about, ...where, ...textLines(`$ ${shown.title}`, MAX_LINES), ...argumentLines(args, color)]
  }
  return textLines(all, MAX_LINES)
}

/** A card is what the tool makes of its arguments: they are what runs, and stand beside it. */
function argumentLines(args: unknown, color: Style['color']): string[] {
  return textLines(`arguments: ${JSON.stringify(args)}`, 3).map((line) => color.dim(line))
}

/** Both sides of each change. Nothing is cut to the width of the terminal: who decides reads whole lines. */
function changeLines(diffs: readonly FileDiff[], color: Style['color']): string[] {
  const show = (lines: readonly string[]) => (lines.length === 0 ? [] : textLines(lines.join('\n'), MAX_LINES / 2))
  return diffLines(diffs, { color, show, path: printableLine })
}

/** A text as so many lines at most. Whatever is left out is told: how many lines and characters there are. */
function textLines(text: string, maxLines: number): string[] {
  const lines = printable(firstUnits(text, MAX_TEXT)).split('\n')
  const shown = lines.slice(0, maxLines)
  if (lines.length <= maxLines && text.length <= MAX_TEXT) return shown
  const all = `${text.split('\n').length.toLocaleString('en')} lines and ${text.length.toLocaleString('en')} characters`
  return [...shown, `… the beginning of ${all}`]
}
