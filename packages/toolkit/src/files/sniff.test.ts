import { expect, test } from 'vitest'
import { SNIFF_BYTES, sniff } from './sniff.ts'

test('text without a mark is UTF-8, also when it is empty or not valid', () => {
  expect(sniff(Buffer.from('abc'))).toEqual({ kind: 'text', encoding: 'utf-8', bomBytes: 0 })
  expect(sniff(Buffer.alloc(0))).toMatchObject({ kind: 'text' })
  expect(sniff(Buffer.from([0xff, 0x41]))).toMatchObject({ kind: 'text' })
})

test.each([
  ['utf-8', 3, [0xef, 0xbb, 0xbf, 0x61]],
  ['utf-16le', 2, [0xff, 0xfe, 0x61, 0x00]],
  ['utf-16be', 2, [0xfe, 0xff, 0x00, 0x61]],
] as const)('a byte-order mark tells %s', (encoding, bomBytes, bytes) => {
  expect(sniff(Buffer.from(bytes))).toEqual({ kind: 'text', encoding, bomBytes })
})

test('a NUL byte in the first 8 KiB is binary, one behind them is not', () => {
  const bytes = Buffer.alloc(SNIFF_BYTES + 1, 'a')
  bytes[SNIFF_BYTES] = 0
  expect(sniff(bytes)).toMatchObject({ kind: 'text' })
  bytes[SNIFF_BYTES - 1] = 0
  expect(sniff(bytes)).toEqual({ kind: 'binary', what: 'binary data' })
  expect(sniff(Buffer.from([0xef, 0xbb, 0xbf, 0]))).toMatchObject({ kind: 'binary' })
})

test('known kinds are named', () => {
  expect(sniff(Buffer.from('89504e470d0a1a0a0000000d', 'hex'))).toEqual({ kind: 'binary', what: 'a PNG image', image: 'image/png' })
  expect(sniff(Buffer.from('7f454c460201010000', 'hex'))).toEqual({ kind: 'binary', what: 'an ELF program' })
  expect(sniff(Buffer.from('fffe000061000000', 'hex'))).toEqual({ kind: 'binary', what: 'UTF-32 text' })
})
