import { isAscii, isUtf8 } from 'node:buffer'
import { ToolError } from '@dsh/tools'
import { sniff, type TextEncoding } from './sniff.ts'

/** How a text file is written. */
export interface TextFormat {
  readonly encoding: TextEncoding
  /** Bytes of its byte-order mark; 0 for none. */
  readonly bomBytes: number
}

/** A whole file as text, or what it is instead. */
export type DecodedFile =
  | { readonly kind: 'text'; readonly text: string; readonly format: TextFormat }
  | { readonly kind: 'binary'; readonly what: string }

const BOMS: Partial<Record<TextEncoding, Buffer>> = {
  'utf-8': Buffer.from('efbbbf', 'hex'),
  'utf-16le': Buffer.from('fffe', 'hex'),
  'utf-16be': Buffer.from('feff', 'hex'),
}

/** All 256 characters of Windows-1252, by their byte. Bytes it leaves open stand for the control character of that number. */
const WINDOWS_1252 = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
const WINDOWS_1252_BYTES = new Map(Array.from(WINDOWS_1252, (char, byte) => [char.charCodeAt(0), byte]))

/** Read a whole file as text such that {@link encodeText} gives back the very same bytes. What is neither UTF-8 nor UTF-16 is taken for Windows-1252. */
export function decodeText(bytes: Buffer): DecodedFile {
  const kind = sniff(bytes)
  if (kind.kind === 'binary') return kind
  const { encoding, bomBytes } = kind
  const body = bytes.subarray(bomBytes)
  if (encoding !== 'utf-8') {
    if (body.length % 2 === 1) return { kind: 'binary', what: 'UTF-16 text whose last character is cut in half' }
    return { kind: 'text', text: utf16Of(body, encoding).toString('utf16le'), format: { encoding, bomBytes } }
  }
  if (isUtf8(body)) return { kind: 'text', text: body.toString('utf8'), format: { encoding, bomBytes } }
  if (bomBytes > 0 || body.includes(0)) return { kind: 'binary', what: 'text with bytes that are no UTF-8' }
  return { kind: 'text', text: windows1252(body), format: { encoding: 'windows-1252', bomBytes: 0 } }
}

/**
 * Write a text in a format.
 * @throws ToolError UNENCODABLE_TEXT, which names the first character the encoding does not have, or says that the bytes would be read as something else.
 */
export function encodeText(text: string, { encoding, bomBytes }: TextFormat): Buffer {
  const body = bodyOf(text, encoding)
  const bytes = bomBytes === 0 ? body : Buffer.concat([BOMS[encoding] ?? Buffer.alloc(0), body])
  if (readsBack(bytes, encoding)) return bytes
  const why = text.includes('\0')
    ? 'with the NUL characters of this text it would be no text any more. Send it without them.'
    : 'the characters of this text would be read as those of another encoding. Send other ones.'
  throw new ToolError(`The file is ${encoding}, and ${why} Nothing was changed.`, { code: 'UNENCODABLE_TEXT' })
}

/** Whether {@link decodeText} will find the encoding again. */
function readsBack(bytes: Buffer, encoding: TextEncoding): boolean {
  const kind = sniff(bytes)
  if (kind.kind === 'binary') return false
  if (encoding !== 'windows-1252') return kind.encoding === encoding
  return kind.encoding === 'utf-8' && kind.bomBytes === 0 && !bytes.includes(0) && (isAscii(bytes) || !isUtf8(bytes))
}

function bodyOf(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8') {
    const stray = text.isWellFormed() ? undefined : (/\p{Surrogate}/u.exec(text)?.[0] as string)
    if (stray !== undefined) throw unencodable(stray, encoding)
    return Buffer.from(text, 'utf8')
  }
  if (encoding !== 'windows-1252') return utf16Of(Buffer.from(text, 'utf16le'), encoding)
  const bytes = Buffer.allocUnsafe(text.length)
  for (let index = 0; index < text.length; index++) {
    const byte = WINDOWS_1252_BYTES.get(text.charCodeAt(index))
    if (byte === undefined) throw unencodable(String.fromCodePoint(text.codePointAt(index) as number), encoding)
    bytes[index] = byte
  }
  return bytes
}

function windows1252(bytes: Buffer): string {
  return new TextDecoder('windows-1252').decode(bytes)
}

/** Little-endian of either, and back: the same bytes, or a copy with each pair swapped. */
function utf16Of(bytes: Buffer, encoding: TextEncoding): Buffer {
  return encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16()
}

function unencodable(char: string, encoding: TextEncoding): ToolError {
  const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  const shown = char.isWellFormed() ? `${JSON.stringify(char)} (U+${code})` : `U+${code}, half of a character`
  return new ToolError(`The file is ${encoding}, which has no ${shown}. Send the text without it. Nothing was changed.`, {
    code: 'UNENCODABLE_TEXT',
  })
}
