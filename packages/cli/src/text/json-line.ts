import { printableJson } from './printable.ts'

/** Base64 up to this length is printed everywhere, in UTF-16 units. */
const MAX_SHOWN = 100

/** A value as a line of JSON for a stream. On a terminal, where a person reads, the bytes of pictures and other files are only counted. */
export function jsonLine(value: unknown, { isTTY }: { readonly isTTY?: boolean }): string {
  return printableJson(value, isTTY === true ? withoutBytes : undefined)
}

/** Bytes are base64 in `data`, beside the media type that says what they are: in content blocks, and in the values they are made of. */
function withoutBytes(this: unknown, key: string, value: unknown): unknown {
  const isBytes = key === 'data' && typeof value === 'string' && value.length > MAX_SHOWN && 'mediaType' in (this as object)
  return isBytes ? `[${value.length.toLocaleString('en')} characters of base64]` : value
}
