/** Bytes as the UTF-8 text they are; undefined when they are none. Nothing is replaced silently. */
export function decodeText(bytes: Uint8Array, { stripBom }: { readonly stripBom: boolean }): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: !stripBom }).decode(bytes)
  } catch {
    return undefined // said by the caller, who knows what it is
  }
}
