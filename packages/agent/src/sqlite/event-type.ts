/** What a column of text does not give back as it was, or what ends a line of types; and a quote, by which an encoded type is known. */
const NEEDS_ENCODING = /^"|[\0\n]|\p{Surrogate}/u

/** A type of event as it lies in its column: as it is, or as JSON when that would not come back the same. */
export function toColumn(type: string): string {
  return NEEDS_ENCODING.test(type) ? JSON.stringify(type) : type
}

/** The type of event that lies in a column. @throws SyntaxError when it was not made by {@link toColumn}. */
export function fromColumn(text: string): string {
  return text.startsWith('"') ? JSON.parse(text) : text
}
