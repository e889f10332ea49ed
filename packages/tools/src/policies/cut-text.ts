/** Length of a text in UTF-8; a lone surrogate counts as the U+FFFD it becomes. */
export function utf8Bytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at += unitsAt(text, at)) bytes += bytesAt(text, at)
  return bytes
}

/** The beginning of a text, at most `maxBytes` of UTF-8: whole lines when that keeps at least half of it, and never half a character. */
export function headOf(text: string, maxBytes: number): string {
  let end = 0
  for (let bytes = 0; end < text.length; end += unitsAt(text, end)) {
    bytes += bytesAt(text, end)
    if (bytes > maxBytes) break
  }
  const lineEnd = text.lastIndexOf('\n', end - 1)
  return text.slice(0, end < text.length && lineEnd > end / 2 ? lineEnd : end)
}

/** The end of a text, as {@link headOf} its beginning. */
export function tailOf(text: string, maxBytes: number): string {
  let start = text.length
  for (let bytes = 0; start > 0; ) {
    const before = start >= 2 && unitsAt(text, start - 2) === 2 ? start - 2 : start - 1
    bytes += bytesAt(text, before)
    if (bytes > maxBytes) break
    start = before
  }
  const lineStart = text.indexOf('\n', start) + 1
  return text.slice(start > 0 && lineStart > 0 && lineStart < (start + text.length) / 2 ? lineStart : start)
}

function unitsAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1
}

function bytesAt(text: string, at: number): number {
  const point = text.codePointAt(at) as number
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point > 0xffff ? 4 : 3
}
