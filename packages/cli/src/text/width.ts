import { eastAsianWidth } from 'get-east-asian-width'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const EMOJI = /\p{Extended_Pictographic}\ufe0f|\p{Emoji_Presentation}/u
const PLAIN = /^[\u0020-\u007e]*$/

/** How many columns of a terminal a printable text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** A text cut to at most so many columns, ended by `…` where something was left out. Never cuts a character in two. */
export function cutToWidth(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || (text.length <= columns && PLAIN.test(text))) return text
  let width = 0
  let end = 0
  for (const { segment, index } of graphemes.segment(text)) {
    width += graphemeWidth(segment)
    if (width > columns) return `${text.slice(0, end)}…`
    if (width <= columns - 1) end = index + segment.length
  }
  return text
}

function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) as number
  if (code < 0x7f) return 1
  if (/^\p{Mark}/u.test(grapheme)) return 0
  return EMOJI.test(grapheme) ? 2 : eastAsianWidth(code)
}
