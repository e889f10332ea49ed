// Control characters, line separators, blanks at an end and a leading quote would make a listed path ambiguous.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for
const AMBIGUOUS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|^[\s"]|\s$/u

/** A path as one line of text: as it is, or as a JSON string when a reader could take it for something else. */
export function printablePath(path: string): string {
  return AMBIGUOUS.test(path) ? JSON.stringify(path) : path
}
