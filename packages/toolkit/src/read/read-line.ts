import { count } from '../text/count.ts'

/** One line of a read window. */
export interface ReadLine {
  /** 1-based. */
  readonly number: number
  /** Without its line break, and at most as long as the limit. */
  readonly text: string
  /** How many characters (UTF-16 units) the limit left out at the end of the line. */
  readonly cut?: number
}

/** A line as it is shown, with its number. */
export function numberedLine(line: ReadLine): string {
  return `${line.number}\t${shownText(line)}`
}

/** The text of a line as it is shown: with a mark where characters were left out. */
export function shownText(line: ReadLine): string {
  return line.cut === undefined ? line.text : `${line.text} [... ${count(line.cut, 'more character')}]`
}
