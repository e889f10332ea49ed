import type { ContentBlock } from '@dsh/tools'

/** The pictures that OpenAI and Anthropic take: one of another kind would fail the whole request. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** A picture with its bytes at hand, of a kind that models are shown. */
export type Picture = Extract<ContentBlock, { readonly type: 'image' }> & {
  readonly mediaType: (typeof PICTURES)[number]
  readonly data: string
}

/** Whether a block can be sent as a picture. */
export function isPicture(block: ContentBlock): block is Picture {
  return block.type === 'image' && typeof block.data === 'string' && (PICTURES as readonly string[]).includes(block.mediaType)
}
