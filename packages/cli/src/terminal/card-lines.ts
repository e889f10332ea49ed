import type { ApprovalCard } from '@dsh/agent'
import type { ToolCallView } from '@dsh/tools/presentation'
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
    ...cut(bodyOf(card, color)).map((line) => `  ${line}`),
  ]
}

function bodyOf({ view, arguments: args }: ApprovalCard, color: Style['color']): string[] {
  const shown = view as ToolCallView | undefined
  if (shown?.card === 'diff') return shown.diffs.flatMap((diff) => diffLines(diff, color))
  if (shown?.card === 'terminal')
    return [...(shown.cwd === undefined ? [] : [color.dim(`in ${printableLine(shown.cwd)}`)]), ...textLines(`$ ${shown.title}`)]
  return textLines(JSON.stringify(args, null, 2))
}

type Diff = Extract<ToolCallView, { card: 'diff' }>['diffs'][number]

function diffLines({ path, oldText, newText }: Diff, color: Style['color']): string[] {
  return [
    color.bold(printableLine(path)) + (oldText === null ? color.dim(' (a new file)') : ''),
    ...(oldText === null ? [] : textLines(oldText).map((line) => color.red(`- ${line}`))),
    ...textLines(newText).map((line) => color.green(`+ ${line}`)),
  ]
}

function textLines(text: string): string[] {
  const more =
    text.length > MAX_TEXT ? [`… the first ${MAX_TEXT.toLocaleString('en')} of ${text.length.toLocaleString('en')} characters`] : []
  return [...printable(firstUnits(text, MAX_TEXT)).split('\n'), ...more]
}

function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines
  return [...lines.slice(0, MAX_LINES), `… the first ${MAX_LINES} of ${lines.length} lines`]
}
