/** Index nearest below `index` that does not fall between the two halves of a surrogate pair. */
export function safeEnd(text: string, index: number): number {
  return splitsPair(text, index) ? index - 1 : index
}

/** What is left of a line after a cut: the text, and at which of its ends something is missing. */
export interface CutText {
  readonly text: string
  readonly cut?: 'start' | 'end' | 'both'
}

/**
 * At most `maxChars` UTF-16 units of a text, centred on one stretch of it (a match). A stretch that does not fit is shown
 * from its beginning. Never cuts a surrogate pair.
 */
export function cutAround(text: string, stretch: { readonly start: number; readonly length: number }, maxChars: number): CutText {
  if (text.length <= maxChars) return { text }
  const lead = Math.floor((maxChars - Math.min(stretch.length, maxChars)) / 2)
  const wanted = Math.max(0, Math.min(stretch.start - lead, text.length - maxChars))
  const from = safeEnd(text, wanted)
  const to = safeEnd(text, from + maxChars)
  const sides = cutSides(from > 0, to < text.length)
  return { text: text.slice(from, to), ...(sides === undefined ? {} : { cut: sides }) }
}

/** Name the ends at which something is missing. */
export function cutSides(start: boolean, end: boolean): CutText['cut'] {
  if (start && end) return 'both'
  if (start) return 'start'
  return end ? 'end' : undefined
}

function splitsPair(text: string, index: number): boolean {
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index))
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
