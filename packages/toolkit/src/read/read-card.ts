import type { ReadResultView } from '@dsh/tools/presentation'
import { printablePath } from '../text/printable-path.ts'
import { languageOf } from './language.ts'
import { shownText } from './read-line.ts'
import type { ReadValue } from './read-value.ts'

/** What a card needs of a {@link ReadValue}: the numbers of its lines go on from `offset`. A type, as it is JSON. */
export type ReadMeta = {
  readonly path: string
  readonly offset: number
  readonly lines: readonly string[]
  readonly totalLines?: number
}

/** What the log keeps of a value for its card. */
export function metaOf({ path, offset, lines, totalLines }: ReadValue): ReadMeta {
  return { path, offset, lines: lines.map(shownText), ...(totalLines === undefined ? {} : { totalLines }) }
}

/** The card of a window that was read. */
export function readCard({ path, offset, lines, totalLines }: ReadMeta): ReadResultView {
  const lang = languageOf(path)
  return {
    card: 'read',
    title: printablePath(path),
    path,
    offset,
    lines: lines.map((text, index) => ({ number: offset + index, text })),
    ...(totalLines === undefined ? {} : { totalLines }),
    ...(lang === undefined ? {} : { lang }),
  }
}
