// Validation of arguments, beside ajv: what generates code against what walks a plan.
import Ajv from 'ajv'
import { accepts, compileSchema, planOf, snapshotJson } from '../contestants/dsh-internals.mjs'

export const name = 'Arguments'
export const target =
  'medium schema, 10,000-item array, depth 400; valid: at most 4 times compiled ajv; invalid: at most 4 times ajv with `allErrors`; linear in depth'
export const notes = [
  'Validation alone, of values as `JSON.parse` gives them; dsh uses no `eval`, ajv generates code. Invalid: dsh says no,',
  'then finds every problem (the first 20 with their places, the rest counted), then puts those 20 into words with a hint and an excerpt of what',
  'came; ajv with `allErrors` makes an object with a fixed message of each. Linear: a level of 400 takes at most 1.5 times as long as a level of 100.',
  'A schema 400 deep overflows the stack in the compiler of ajv, so for depth ajv gets one level that refers to itself; dsh gets all 400.',
]

const STRING = { type: 'string' }
const MEDIUM = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'pattern', 'options', 'edits'],
  properties: {
    path: STRING,
    pattern: STRING,
    limit: { type: 'integer' },
    mode: { type: 'string', enum: ['files', 'lines', 'count'] },
    isCaseSensitive: { type: 'boolean' },
    globs: { type: 'array', items: STRING },
    options: {
      type: 'object',
      additionalProperties: false,
      required: ['depth'],
      properties: { depth: { type: 'integer' }, ratio: { type: 'number' }, tags: { type: 'array', items: STRING } },
    },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['line', 'text'],
        properties: { line: { type: 'integer' }, text: STRING },
      },
    },
  },
}
const MEDIUM_VALUE = {
  path: 'src/index.ts',
  pattern: 'export',
  limit: 20,
  mode: 'lines',
  isCaseSensitive: true,
  globs: ['*.ts', '*.js', '!dist'],
  options: { depth: 3, ratio: 0.5, tags: ['a', 'b'] },
  edits: [1, 2, 3].map((line) => ({ line, text: `line ${line}` })),
}
const ITEM = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: STRING },
}
const LIST = { type: 'object', required: ['items'], properties: { items: { type: 'array', items: ITEM } } }
const ITEMS = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `item ${id}` }))
/** For ajv: any number of levels around an integer. */
const LEVEL = {
  $ref: '#/$defs/level',
  $defs: { level: { type: ['object', 'integer'], required: ['inner'], properties: { inner: { $ref: '#/$defs/level' }, note: STRING } } },
}

const JOBS = {
  medium: {
    label: 'medium schema',
    schema: MEDIUM,
    valid: MEDIUM_VALUE,
    invalid: { ...MEDIUM_VALUE, limit: '20', mode: 'words', options: { ratio: 'half' }, unknown: 1 },
  },
  list: {
    label: '10,000-item array',
    schema: LIST,
    valid: { items: ITEMS },
    invalid: { items: ITEMS.map((item) => (item.id % 2 === 0 ? item : { id: String(item.id) })) },
  },
  deep: { label: 'depth 400', schema: nested(400), forAjv: LEVEL, valid: nestedValue(400, 1), invalid: nestedValue(400, 'one') },
}

const LABELS = {
  valid: 'dsh, valid',
  ajvValid: 'ajv, valid',
  found: 'dsh, invalid, every problem found',
  worded: 'dsh, invalid, and put into words',
  ajvInvalid: 'ajv with `allErrors`, invalid',
  ajvWorded: 'ajv with `allErrors`, invalid, and `errorsText()`',
}

export async function run({ compare, ratio, verdict, timingTable, options }) {
  const verdicts = []
  const tables = []
  for (const { label, schema, forAjv, valid, invalid } of Object.values(JOBS)) {
    const runs = contestants(label, { schema, forAjv }, clean(valid), clean(invalid))
    const timings = await compare(runs, options)
    verdicts.push(verdict(`${label}, valid, of ajv`, ratio(timings.valid, timings.ajvValid), { atMost: 4 }))
    verdicts.push(verdict(`${label}, invalid, found, of ajv`, ratio(timings.found, timings.ajvInvalid), { atMost: 4 }))
    tables.push(timingTable(timings, LABELS, 'ajvValid', label))
  }
  return linear({ verdicts, tables }, { compare, ratio, verdict, timingTable, options })
}

async function linear({ verdicts, tables }, { compare, ratio, verdict, timingTable, options }) {
  const lanes = {}
  for (const depth of [100, 400]) {
    const { valid, found } = contestants(
      `depth ${depth}`,
      { schema: nested(depth), forAjv: LEVEL },
      clean(nestedValue(depth, 1)),
      clean(nestedValue(depth, 'one')),
    )
    lanes[`valid${depth}`] = { run: valid, per: depth }
    lanes[`invalid${depth}`] = { run: found, per: depth }
  }
  const timings = await compare(lanes, options)
  for (const kind of ['valid', 'invalid']) {
    verdicts.push(
      verdict(`${kind}, a level of 400, of a level of 100`, ratio(timings[`${kind}400`], timings[`${kind}100`]), { atMost: 1.5 }),
    )
  }
  const labels = {
    valid100: 'depth 100, valid',
    valid400: 'depth 400, valid',
    invalid100: 'depth 100, invalid',
    invalid400: 'depth 400, invalid',
  }
  tables.push(timingTable(timings, labels, 'valid100', 'dsh, for each level'))
  return { verdicts, tables }
}

/** Both validators on both values, after a look at their verdicts. */
function contestants(label, { schema, forAjv = schema }, valid, invalid) {
  const ours = compileSchema(schema)
  const ajv = new Ajv({ allowUnionTypes: true }).compile(forAjv)
  const all = new Ajv({ allowUnionTypes: true, allErrors: true }).compile(forAjv)
  const reporter = new Ajv()
  const isRight =
    ours.accepts(valid) && ajv(valid) && !ours.accepts(invalid) && !all(invalid) && problems(ours.violations(invalid)) === all.errors.length
  if (!isRight) throw new Error(`${label}: ${JSON.stringify([ours.violations(invalid), all.errors]).slice(0, 2_000)}`)
  const plan = planOf(ours.schema)
  const refused = snapshotJson(invalid)
  return {
    valid: () => accepts(plan, valid, true), // as a snapshot is the first time; the second time it is known
    ajvValid: () => ajv(valid),
    found: () => ours.accepts(refused) || ours.inspect(refused),
    worded: () => ours.accepts(refused) || ours.violations(refused),
    ajvInvalid: () => all(invalid) || all.errors,
    ajvWorded: () => all(invalid) || reporter.errorsText(all.errors),
  }
}

function problems(violations) {
  return violations.reduce((sum, { more }) => sum + (more ?? 1), 0)
}

/** As a parsed text is. */
function clean(value) {
  return JSON.parse(JSON.stringify(value))
}

function nested(depth) {
  let schema = { type: 'integer' }
  for (let level = 0; level < depth; level++) schema = { type: 'object', required: ['inner'], properties: { inner: schema, note: STRING } }
  return schema
}

function nestedValue(depth, leaf) {
  let value = leaf
  for (let level = 0; level < depth; level++) value = { inner: value, note: 'x' }
  return value
}
