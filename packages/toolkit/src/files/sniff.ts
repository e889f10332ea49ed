/** How the bytes of a text file spell characters. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** A kind of image that models are shown. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** An image, with its name: `a PNG image`. */
export interface ImageKind {
  readonly kind: 'binary'
  readonly what: string
  readonly image: ImageType
}

/** What the first bytes of a file say about the rest. */
export type FileKind =
  | { readonly kind: 'text'; readonly encoding: TextEncoding; readonly bomBytes: number }
  | { readonly kind: 'binary'; readonly what: string; readonly image?: undefined }
  | ImageKind

/** How many bytes {@link sniff} wants to see. */
export const SNIFF_BYTES = 8_192

const SIGNATURES: readonly (readonly [what: string, hex: string])[] = [
  ['a PDF document', '255044462d'],
  ['a ZIP archive (or a format built on it, such as DOCX or JAR)', '504b0304'],
  ['a gzip archive', '1f8b'],
  ['an XZ archive', 'fd377a585a00'],
  ['a Zstandard archive', '28b52ffd'],
  ['a 7z archive', '377abcaf271c'],
  ['an ELF program', '7f454c46'],
  ['a Mach-O program', 'cffaedfe'],
  ['a WebAssembly module', '0061736d'],
  ['a Java class', 'cafebabe'],
  ['an SQLite database', '53514c69746520666f726d6174203300'],
  ['UTF-32 text', 'fffe0000'],
  ['UTF-32 text', '0000feff'],
]

/** A text may begin like a GIF or a WebP, which are ASCII there: only with a NUL byte is it one. */
const IMAGES: readonly { readonly image: ImageType; readonly what: string; readonly start: RegExp; readonly mayBeText?: true }[] = [
  { image: 'image/png', what: 'a PNG image', start: /^89504e470d0a1a0a/ },
  { image: 'image/jpeg', what: 'a JPEG image', start: /^ffd8ff/ },
  { image: 'image/gif', what: 'a GIF image', start: /^474946383[79]61/, mayBeText: true },
  { image: 'image/webp', what: 'a WebP image', start: /^52494646.{8}57454250/, mayBeText: true },
]

/** Tell text from binary: binary is an image, or has a NUL byte in the first 8 KiB and is not UTF-16 with a byte-order mark. */
export function sniff(start: Buffer): FileKind {
  const head = start.subarray(0, SNIFF_BYTES)
  const hex = head.subarray(0, 16).toString('hex')
  const image = IMAGES.find((each) => each.start.test(hex))
  if (image !== undefined && !(image.mayBeText && !head.includes(0))) return { kind: 'binary', what: image.what, image: image.image }
  if (hex.startsWith('efbbbf')) return head.includes(0) ? binary(hex) : { kind: 'text', encoding: 'utf-8', bomBytes: 3 }
  if (hex.startsWith('fffe') && !hex.startsWith('fffe0000')) return { kind: 'text', encoding: 'utf-16le', bomBytes: 2 }
  if (hex.startsWith('feff')) return { kind: 'text', encoding: 'utf-16be', bomBytes: 2 }
  return head.includes(0) ? binary(hex) : { kind: 'text', encoding: 'utf-8', bomBytes: 0 }
}

function binary(hex: string): FileKind {
  return { kind: 'binary', what: SIGNATURES.find(([, signature]) => hex.startsWith(signature))?.[0] ?? 'binary data' }
}
