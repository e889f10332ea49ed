import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hunksOf } from '../files/hunks.ts'
import { applyEdits, type Edit } from './apply-edits.ts'

const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', ' '), minLength: 1, maxLength: 3 })
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', '\r\n', ' '), maxLength: 60 })
const edit = fc.record({ oldText: piece, newText: fc.oneof(piece, fc.constant('')), replaceAll: fc.boolean() })

const live = new AbortController().signal
/** Undefined where it is refused: the first test says when. */
const attempt = (original: string, edits: readonly Edit[]) => applyEdits(original, edits, live).catch(() => undefined)

test('edits give what replacing by hand gives, or are refused where that is not clear', () => {
  const lf = (value: string) => value.replaceAll('\r\n', '\n')
  return fc.assert(
    fc.asyncProperty(text, fc.array(edit, { minLength: 1, maxLength: 4 }), async (raw, raws) => {
      const edits = raws.map(({ oldText, newText, ...rest }) => ({ oldText: lf(oldText), newText: lf(newText), ...rest }))
      let byHand: string | undefined = lf(raw)
      for (const { oldText, newText, replaceAll } of edits) {
        const isOnce: boolean = byHand?.indexOf(oldText) === byHand?.lastIndexOf(oldText)
        const isFine: boolean = byHand?.includes(oldText) === true && oldText !== newText && (replaceAll || isOnce)
        byHand = isFine ? byHand?.split(oldText).join(newText) : undefined
      }
      expect((await attempt(lf(raw), edits))?.text).toBe(byHand)
      const hasBreak = lf(raw).includes('\n') // without one there are no line ends to keep
      const crlf = (value: string) => value.replaceAll('\n', '\r\n')
      if (hasBreak && edits.length === 1)
        expect((await attempt(crlf(lf(raw)), edits))?.text).toBe(byHand === undefined ? undefined : crlf(byHand))
    }),
  )
})

test('outside of the changes that are told, both texts are the same, whatever the line ends', () => {
  return fc.assert(
    fc.asyncProperty(text, fc.array(edit, { minLength: 1, maxLength: 5 }), async (original, edits) => {
      const edited = await attempt(original, edits)
      fc.pre(edited !== undefined)
      let [old, now] = [0, 0]
      const kept: [string, string][] = []
      for (const { oldStart, oldEnd, newStart, newEnd } of edited.changes) {
        kept.push([original.slice(old, oldStart), edited.text.slice(now, newStart)])
        ;[old, now] = [oldEnd, newEnd]
      }
      kept.push([original.slice(old), edited.text.slice(now)])
      for (const [before, after] of kept) expect(after).toBe(before)
    }),
  )
})

test('the hunks, put in place of their old texts one after another, make the new text; each says its line', () => {
  return fc.assert(
    fc.asyncProperty(text, fc.array(edit, { minLength: 1, maxLength: 5 }), async (original, edits) => {
      const edited = await attempt(original, edits)
      fc.pre(edited !== undefined)
      const { hunks } = hunksOf(original, edited.text, edited.changes)
      const lines = edited.text.split('\n')
      let rest = original
      let made = ''
      for (const { line, oldText, newText } of hunks) {
        expect(
          lines
            .slice(line - 1)
            .join('\n')
            .startsWith(newText),
        ).toBe(true)
        const start = edited.text.length - lines.slice(line - 1).join('\n').length
        const between = start - made.length
        made += rest.slice(0, between) + newText
        expect(rest.slice(between, between + oldText.length)).toBe(oldText)
        rest = rest.slice(between + oldText.length)
      }
      expect(made + rest).toBe(edited.text)
    }),
  )
})

test('hostile texts take no more time than their length: many matches in a long line, lines that are all alike', async () => {
  const many = 'ab'.repeat(200_000)
  const all = [{ oldText: 'a', newText: 'x', replaceAll: true }]
  for (const line of [many, `${many}\r\n`, `\r\n${many}`]) {
    const { text: now, changes } = await applyEdits(line, all, live)
    expect(now.length).toBe(line.length)
    expect(hunksOf(line, now, changes)).toEqual({ hunks: [], omittedHunks: 1 })
  }
  const alike = 'a\n'.repeat(100_000)
  await expect(applyEdits(alike, [{ oldText: `${'a\n'.repeat(5_000)} b`, newText: '' }], live)).rejects.toMatchObject({ code: 'NO_MATCH' })
})

test('many edits of a long text hold nobody up, and can be cancelled', async () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `line ${index} of a text that is long enough to be slow, all in all`)
  const edits = lines.map((line) => ({ oldText: `${line}\n`, newText: '\n' }))
  const controller = new AbortController()
  const edited = applyEdits(`${lines.join('\n')}\n`, edits, controller.signal)
  setImmediate(() => controller.abort(new Error('enough')))
  await expect(edited).rejects.toThrow('enough')
})
