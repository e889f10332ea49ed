const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The offset behind a JSON string that starts at `start` in valid JSON. A loop: a pattern would run out of stack on a long one. */
export function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === BACKSLASH) at++
    else if (unit === QUOTE) return at + 1
  }
  return json.length
}

/** Read a string that may be broken. @returns where it ends, or where it stops being a JSON string. */
export function readString(text: string, start: number): { readonly end: number; readonly sound: boolean } {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) return { end: at + 1, sound: true }
    if (unit < 0x20) return { end: at, sound: false }
    if (unit !== BACKSLASH) continue
    const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6))
    if (escaped === null) return { end: at, sound: false }
    at += escaped[0].length
  }
  return { end: text.length, sound: false }
}
