import { eastAsianWidth } from 'get-east-asian-width'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const EMOJI = /\p{Extended_Pictographic}\ufe0f|\p{Emoji_Presentation}/u

/** A text cut to at most so many columns, ended by `…` where something was left out. Never cuts a character in two. */
export function cutToWidth(text: string, columns: number): string {
  if (text.length <= columns && !/[^\u0020-\u007e]/.test(text)) return text
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
