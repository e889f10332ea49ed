import type { ContentBlock } from '@dsh/tools'
import { wordsFor } from '../content/words-for.ts'

/** Content as the one text that a format takes. What is no text is named, with its kind and size. */
export function textOfContent(content: readonly ContentBlock[]): string {
  return content.map(wordsFor).join('\n')
}

/** Text as content; nothing for an empty one. */
export function contentOfText(text: string): ContentBlock[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Bytes as the block of their kind. `name`: what a file is called, where the format says it. */
export function blockOfBytes({
  mediaType,
  data,
  name,
}: {
  readonly mediaType: string
  readonly data: string
  readonly name: unknown
}): ContentBlock {
  if (mediaType.startsWith('image/')) return { type: 'image', mediaType, data }
  if (mediaType.startsWith('audio/')) return { type: 'audio', mediaType, data }
  return { type: 'resource', uri: typeof name === 'string' && name !== '' ? name : 'file', mediaType, data }
}

/** In the place of a part that we have no block for, so that nobody takes a result for smaller than it was. */
export function notShown(type: unknown): ContentBlock {
  return { type: 'text', text: `[${String(type)}: not shown here]` }
}
