import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { assertSupportedJsonSchema, JsonSchemaError, validateJsonSchemaValue } from '../src/index.ts'

interface SuiteCases {
  readonly accept: readonly {
    readonly file: string
    readonly group: string
    readonly schema: unknown
    readonly tests: readonly { readonly d: string; readonly data: unknown; readonly valid: boolean }[]
  }[]
  readonly reject: readonly { readonly group: string; readonly schema: unknown }[]
}

const cases: SuiteCases = JSON.parse(readFileSync(new URL('./cases/json-schema-subset-cases.json', import.meta.url), 'utf8'))

describe('the official suite, cut to the subset', () => {
  const verdicts = cases.accept.flatMap(({ file, group, schema, tests }) =>
    tests.map(({ d, data, valid }) => ({ title: `${file} / ${group} / ${d}`, schema, data, valid })),
  )

  test('is whole', () => {
    expect([verdicts.length, cases.reject.length]).toEqual([182, 498])
  })

  test.each(verdicts.map((verdict) => [verdict.title, verdict] as const))('%s', (_title, { schema, data, valid }) => {
    assertSupportedJsonSchema(schema)
    expect(validateJsonSchemaValue(schema, data).length === 0).toBe(valid)
  })

  test('every schema beyond the subset is refused, and every problem names a path', () => {
    for (const { schema, group } of cases.reject) {
      let error: unknown
      try {
        assertSupportedJsonSchema(schema)
      } catch (thrown) {
        error = thrown
      }
      expect(error, group).toBeInstanceOf(JsonSchemaError)
      for (const issue of (error as JsonSchemaError).issues) expect(issue.path.startsWith('$')).toBe(true)
    }
  })
})
