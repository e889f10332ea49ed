import type { FileDiff } from '@dsh/tools/presentation'

/** A change in lines: what went, what came, and the lines around it that stand in both of its texts. */
export interface LineChange {
  readonly before: readonly string[]
  readonly removed: readonly string[]
  readonly added: readonly string[]
  readonly after: readonly string[]
}

/** The lines that a change is about. Lines lose their carriage return where every line of both texts has one. */
export function changeOf({ oldText, newText }: Pick<FileDiff, 'oldText' | 'newText'>): LineChange {
  const isCrlf = !/(?<!\r)\n/.test(`${oldText ?? ''}${newText}`)
  const [before, after] = [linesOf(oldText ?? '', isCrlf), linesOf(newText, isCrlf)]
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return {
    before: before.slice(0, head),
    removed: before.slice(head, before.length - tail),
    added: after.slice(head, after.length - tail),
    after: after.slice(after.length - tail),
  }
}

function linesOf(text: string, isCrlf: boolean): readonly string[] {
  if (text === '') return []
  return isCrlf ? text.replace(/\r\n$/, '').split('\r\n') : text.replace(/\n$/, '').split('\n')
}
