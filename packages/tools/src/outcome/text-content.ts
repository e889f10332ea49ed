import type { ContentBlock } from '../contract/content.ts'
import { isAcceptedBy, markAccepted, markSnapshot } from '../json/mark.ts'
import { wellFormed } from '../json/text.ts'

/** What content is marked with once it is known to be sound: checked, well-formed Unicode, frozen. */
const SOUND = Object.freeze({})

/** Sound content of one text. */
export function textContent(text: string): ContentBlock[] {
  const content: ContentBlock[] = [Object.freeze({ type: 'text', text: wellFormed(text) })]
  markSnapshot(content, text.length)
  markSound(content)
  return Object.freeze(content) as ContentBlock[]
}

/** Remember that a snapshot is sound content. */
export function markSound(content: ContentBlock[]): void {
  markAccepted(content, SOUND)
}

/** Whether content is known to be sound, so that it need not be looked at again. */
export function isSound(content: readonly unknown[]): content is ContentBlock[] {
  return isAcceptedBy(content, SOUND)
}
