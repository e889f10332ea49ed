import type { JsonValue } from './json.ts'

// Types, not interfaces: only a type is assignable to JsonValue, and all of this is JSON.

/** Bytes kept beside the session instead of inline: which store, which blob, and how many bytes it holds. */
export type BlobReference = {
  readonly store: string
  readonly id: string
  readonly bytes: number
}

/** Plain text. */
export type TextBlock = {
  readonly type: 'text'
  readonly text: string
}

/** A picture: base64 text, or a reference to a blob. */
export type ImageBlock = {
  readonly type: 'image'
  readonly mediaType: string
  readonly data: string | BlobReference
}

/** A sound: base64 text, or a reference to a blob. */
export type AudioBlock = {
  readonly type: 'audio'
  readonly mediaType: string
  readonly data: string | BlobReference
}

/** A named resource, with its text or its bytes when they are at hand. */
export type ResourceBlock = {
  readonly type: 'resource'
  readonly uri: string
  readonly title?: string
  readonly mediaType?: string
  readonly text?: string
  readonly data?: string | BlobReference
}

/** One block of model-facing content. Lossless JSON by construction. */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceBlock

/** Context for the next model request, with the plugin or person it comes from. */
export type UserMessage = {
  readonly source: { readonly kind: 'plugin' | 'person'; readonly name: string }
  readonly content: readonly ContentBlock[]
  readonly meta?: JsonValue
}
