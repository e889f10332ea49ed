import type { JsonSchemaNode } from '../contract/json.ts'
import { isAcceptedBy, markAccepted, snapshotBytes } from '../json/mark.ts'
import { accepts, type Plan, planOf } from './plan.ts'
import { readSchema } from './subset.ts'
import { type Findings, inspect, type Violation, violationsOf } from './violations.ts'

/** A schema made ready: a fast verdict, and the reasons where the verdict is no. */
export interface CompiledSchema {
  /** The schema itself, deep-frozen. */
  readonly schema: JsonSchemaNode
  /** Whether a JSON value is valid. Builds nothing; linear in the value. A snapshot is validated once. */
  accepts(value: unknown): boolean
  /** Everything that is wrong with a value, before it is put into words; nothing when it is valid. */
  inspect(value: unknown): Findings
  /** The same in words. */
  violations(value: unknown, path?: string): readonly Violation[]
}

/** By frozen schema. */
const compiledSchemas = new WeakMap<JsonSchemaNode, CompiledSchema>()

/**
 * Compile a schema, once, into a plan that is walked: no code generation, so it runs under any content security policy. A frozen schema that
 * was compiled before is given what it got then.
 * @throws JsonSchemaError with every problem of the schema.
 */
export function compileSchema(source: JsonSchemaNode): CompiledSchema {
  const schema = readSchema(source)
  let compiled = compiledSchemas.get(schema)
  if (compiled === undefined) {
    compiled = toCompiled(schema)
    compiledSchemas.set(schema, compiled)
  }
  return compiled
}

function toCompiled(schema: JsonSchemaNode): CompiledSchema {
  let made: Plan | undefined // with thousands of tools, most are never called
  const plan = () => {
    made ??= planOf(schema)
    return made
  }
  return {
    schema,
    accepts(value) {
      if (typeof value !== 'object' || value === null) return accepts(plan(), value, true)
      if (isAcceptedBy(value, schema)) return true
      const valid = accepts(plan(), value, isPlain(value))
      if (valid) markAccepted(value, schema)
      return valid
    },
    inspect: (value) => inspect(plan(), value, isPlain(value)),
    violations: (value, path) => violationsOf(inspect(plan(), value, isPlain(value)), path),
  }
}

/** A snapshot is made of plain objects; of anything else nobody knows. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || snapshotBytes(value) !== undefined
}
