// The sources of the compiler's measure: tools as an author writes them with defineTool, and the same as plain objects whose types are
// written by hand. Every tool has names of its own, so that no type is shared by accident.

/** How a kind of property is written in the DSL, in TypeScript, and read by a body. */
const KINDS = {
  text: { spec: "type: 'string', description: 'A text.'", type: 'string', read: (at) => `(${at} ?? '').length` },
  count: { spec: "type: 'integer'", type: 'number', read: (at) => `(${at} ?? 0)` },
  flag: { spec: "type: 'boolean'", type: 'boolean', read: (at) => `(${at} ? 1 : 0)` },
  mode: {
    spec: "type: 'string', enum: ['fast', 'slow', 'exact']",
    type: "'fast' | 'slow' | 'exact'",
    read: (at) => `(${at} === 'fast' ? 1 : 0)`,
  },
  list: { spec: "type: 'array', items: { type: 'string' }", type: 'readonly string[]', read: (at) => `(${at} ?? []).length` },
  range: {
    spec: "type: 'object', additionalProperties: false, properties: { from: { type: 'integer', required: true }, to: { type: 'integer' } }",
    type: '{ readonly from: number; readonly to?: number }',
    read: (at) => `(${at}?.to ?? ${at}?.from ?? 0)`,
  },
}
/** Four to six properties each; the first two are required. */
const SHAPES = [
  ['text', 'count', 'flag', 'mode'],
  ['text', 'list', 'range', 'flag', 'count'],
  ['mode', 'text', 'list', 'range', 'flag', 'text'],
  ['range', 'count', 'text', 'mode', 'list'],
  ['list', 'text', 'mode', 'count', 'range', 'flag'],
]
const IMPORTS = "import { defineTool } from '@dsh/tools'"
const PLAIN = `interface PlainTool<Args, Value> {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, object>>
  readonly output: { readonly schema: object; render(args: Args, value: Value): { type: 'text'; text: string }[] }
  readonly effects: 'none' | 'idempotent' | 'effects'
  isConcurrencySafe(args: Args): boolean
  execute(args: Args, exec: { readonly signal: AbortSignal }): Promise<Value>
}`

/** @returns the text of a file each: `typed` and `plain` with `count` tools, and `base` with the one that every file has. */
export function sources(count) {
  const tools = Array.from({ length: count }, (_, index) => describe(index))
  const base = typed(describe(count))
  return {
    base: [IMPORTS, base].join('\n\n'),
    typed: [IMPORTS, base, ...tools.map(typed)].join('\n\n'),
    plain: [IMPORTS, base, PLAIN, ...tools.map(plain)].join('\n\n'),
  }
}

function describe(index) {
  const properties = SHAPES[index % SHAPES.length].map((kind, at) => ({
    ...KINDS[kind],
    name: `${kind}${index}x${at}`,
    isRequired: at < 2,
  }))
  return { index, properties }
}

function typed({ index, properties }) {
  return `export const tool${index} = defineTool({\n${members({ index, properties }, '{ signal }')}\n})`
}

function plain({ index, properties }) {
  const fields = properties.map(({ name, type, isRequired }) => `  readonly ${name}${isRequired ? '' : '?'}: ${type}`)
  const types = [
    `interface Args${index} {\n${fields.join('\n')}\n}`,
    `interface Value${index} {\n  readonly total${index}: number\n  readonly notes?: readonly string[]\n}`,
  ]
  return [
    ...types,
    `export const tool${index}: PlainTool<Args${index}, Value${index}> = {\n${members({ index, properties }, '{ signal }', index)}\n}`,
  ].join('\n')
}

/** What both have, word for word; only the plain one annotates. */
function members({ index, properties }, exec, annotated) {
  const specs = properties.map(({ name, spec, isRequired }) => `    ${name}: { ${spec}${isRequired ? ', required: true' : ''} },`)
  const sum = properties.map(({ name, read }) => read(`args.${name}`)).join(' + ')
  const [args, value, result] = annotated === undefined ? ['', '', ''] : [`: Args${index}`, `: Value${index}`, `: Promise<Value${index}>`]
  return `  name: 'tool_${index}',
  description: 'Tool ${index}.',
  parameters: {
${specs.join('\n')}
  },
  output: {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { total${index}: { type: 'integer', required: true }, notes: { type: 'array', items: { type: 'string' } } },
    },
    render: (_args${args}, value${value}) => [{ type: 'text', text: String(value.total${index} + (value.notes ?? []).length) }],
  },
  effects: 'none',
  isConcurrencySafe: (args${args}) => args.${properties[0].name} !== undefined,
  async execute(args${args}, ${exec})${result} {
    signal.throwIfAborted()
    return { total${index}: ${sum} }
  },`
}
