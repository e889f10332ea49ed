import type { GenericResultView, ReadResultView } from '@dsh/tools/presentation'
import { printablePath } from '../text/printable-path.ts'
import { imageText, type ReadImageValue } from './image-value.ts'
import { languageOf } from './language.ts'
import { shownText } from './read-line.ts'
import { isImageValue, type ReadValue } from './read-value.ts'

/** What a card needs of a text: the numbers of its lines go on from `offset`. A type, as it is JSON. */
type TextMeta = {
  readonly path: string
  readonly offset: number
  readonly lines: readonly string[]
  readonly totalLines?: number
}

/** What a card needs of an image: `image` says in words what it is. */
type ImageMeta = {
  readonly path: string
  readonly image: string
}

/** What the log keeps of a value for its card. */
export type ReadMeta = TextMeta | ImageMeta

/** Make it. The picture itself is in the content of the result, and not kept twice. */
export function metaOf(value: ReadValue | ReadImageValue): ReadMeta {
  if (isImageValue(value)) return { path: value.path, image: imageText(value) }
  const { path, offset, lines, totalLines } = value
  return { path, offset, lines: lines.map(shownText), ...(totalLines === undefined ? {} : { totalLines }) }
}

/** The card of what was read. */
export function readCard(meta: ReadMeta): ReadResultView | GenericResultView {
  const title = printablePath(meta.path)
  if ('image' in meta) return { card: 'generic', title, content: [{ type: 'text', text: meta.image }] }
  const { path, offset, lines, totalLines } = meta
  const lang = languageOf(path)
  return {
    card: 'read',
    title,
    path,
    offset,
    lines: lines.map((text, index) => ({ number: offset + index, text })),
    ...(totalLines === undefined ? {} : { totalLines }),
    ...(lang === undefined ? {} : { lang }),
  }
}
