// Control characters but tab and newline, line and paragraph separators, and format characters: those that reorder text or hide.
const STEERING =
  '(?![\\t\\n])[\\p{Cc}\\p{Zl}\\p{Zp}]|(?![\\u200c\\u200d])\\p{Cf}|[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0]'
// The two joiners are left where they join: in emoji, and in scripts that are written with them.
const STRAY_JOINERS = '(?<![\\u0600-\\u109f\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]'
const UNSAFE = new RegExp(`${STEERING}|${STRAY_JOINERS}`, 'gu')

/**
 * A text that cannot steer a terminal: escape sequences lose their escape, and what is invisible or reorders text is shown as
 * its code point. Tab and newline stay.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNSAFE, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`)
}

/** The same, on one line: breaks and tabs become spaces. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s*[\r\n]+\s*/g, ' ').replaceAll('\t', ' '))
}

/** JSON on one line that no terminal acts upon. It is the same JSON: what is unsafe can only stand in strings, and is escaped there. @param replacer - as of `JSON.stringify`. */
export function printableJson(value: unknown, replacer?: (this: unknown, key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer).replace(UNSAFE, (char) =>
    Array.from({ length: char.length }, (_, index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** The first so many UTF-16 units of a text, never half of a pair. */
export function firstUnits(text: string, units: number): string {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)
}
