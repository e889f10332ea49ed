import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breaksIn, changeBetween, hunksOf } from './hunks.ts'

const line = fc.string({ unit: fc.constantFrom('a', 'b', '😀', ' ', '\r'), maxLength: 3 })
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'))

test('the one stretch in which two texts differ makes the one of the other, and is as short as can be', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = changeBetween(before, after)
      expect(change === undefined).toBe(before === after)
      if (change === undefined) return
      const { oldStart, oldEnd, newStart, newEnd } = change
      expect(before.slice(0, oldStart) + after.slice(newStart, newEnd) + before.slice(oldEnd)).toBe(after)
      const [gone, come] = [before.slice(oldStart, oldEnd), after.slice(newStart, newEnd)]
      if (gone !== '' && come !== '') expect([gone[0] === come[0], gone.at(-1) === come.at(-1)]).toEqual([false, false])
    }),
  )
})

test('a hunk has whole lines, three before and three behind the change, and those that come near are one', () => {
  const numbered = Array.from({ length: 40 }, (_, index) => `${index + 1}\n`)
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(39), { minLength: 1 }), (places) => {
      const sorted = places.toSorted((a, b) => a - b)
      const changed = numbered.map((text, index) => (sorted.includes(index) ? `x${text}` : text))
      const changes = sorted.map((index, before) => {
        const oldStart = numbered.slice(0, index).join('').length
        return { oldStart, oldEnd: oldStart, newStart: oldStart + before, newEnd: oldStart + before + 1 }
      })
      const near: number[][] = []
      for (const place of sorted) {
        const last = near.at(-1)
        if (last !== undefined && place - 3 <= (last.at(-1) as number) + 4) last.push(place)
        else near.push([place])
      }
      const hunks = near.map((group) => {
        const [from, to] = [Math.max(0, (group[0] as number) - 3), (group.at(-1) as number) + 4]
        return { line: from + 1, oldText: numbered.slice(from, to).join(''), newText: changed.slice(from, to).join('') }
      })
      expect(hunksOf(numbered.join(''), changed.join(''), changes)).toEqual({ hunks })
    }),
  )
})

test('a blank first line is context like any other', () => {
  const change = { oldStart: 3, oldEnd: 4, newStart: 3, newEnd: 4 }
  expect(hunksOf('\na\nb', '\na\nc', [change])).toEqual({ hunks: [{ line: 1, oldText: '\na\nb', newText: '\na\nc' }] })
})

test('all hunks together have a bounded size, and those that found no room are counted', () => {
  const before = Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join('')
  const after = before.replaceAll('\n', ' \n')
  const one = changeBetween(before, after) as NonNullable<ReturnType<typeof changeBetween>>
  expect(hunksOf(before, after, [one])).toEqual({ hunks: [], omittedHunks: 1 })
  const places = [0, 1_000, 2_000].map((lines) => before.indexOf(`\n${lines}\n`) + 1)
  const changes = places.map((at, index) => ({
    oldStart: at,
    oldEnd: at,
    newStart: at + 30_000 * index,
    newEnd: at + 30_000 * (index + 1),
  }))
  const wide = changes.reduceRight((text, { oldStart }) => `${text.slice(0, oldStart)}${'x'.repeat(30_000)}${text.slice(oldStart)}`, before)
  const { hunks, omittedHunks } = hunksOf(before, wide, changes)
  expect([hunks.length, omittedHunks]).toEqual([2, 1])
})

test('line breaks are counted from the first place up to the one behind the last', () => {
  expect(breaksIn('\na\nb\n', 0, 3)).toBe(2)
  expect(breaksIn('\na\nb\n', 1, 2)).toBe(0)
  expect(breaksIn('\na\nb\n', 2, 3)).toBe(1)
})
