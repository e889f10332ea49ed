import type { ContentBlock } from '@dsh/tools'

/** A block in words, for where it cannot be shown: its text, or what it is and how large. */
export function wordsFor(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource' && block.text !== undefined) return `${block.title ?? block.uri}:\n${block.text}`
  const what = block.type === 'resource' ? `${block.mediaType ?? 'resource'} ${block.uri}` : block.mediaType
  const bytes = typeof block.data === 'string' ? bytesOf(block.data) : block.data?.bytes
  return `[${what}${bytes === undefined ? '' : `, ${bytes.toLocaleString('en')} bytes`}: not shown here]`
}

/** How many bytes a base64 text stands for. */
function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}
