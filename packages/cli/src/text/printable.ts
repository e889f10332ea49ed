// Control characters (C0 but tab and newline, DEL, C1) and the marks that reorder or hide text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

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
