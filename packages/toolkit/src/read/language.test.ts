import { expect, test } from 'vitest'
import { languageOf } from './language.ts'

test('a name tells the language, by its extension or as a whole', () => {
  expect(languageOf('src/a.ts')).toBe('typescript')
  expect(languageOf('A.PY')).toBe('python')
  expect(languageOf('deploy/Dockerfile')).toBe('dockerfile')
})

test.each(['notes', 'a.unknown', 'x.constructor', '__proto__', '.ts'])('%s tells nothing', (path) => {
  expect(languageOf(path)).toBeUndefined()
})
