// The trivial job that every contestant does: a tool that adds one to a number.
export const SIGNAL = new AbortController().signal
export const ARGUMENTS = '{"n":1}'
export const DESCRIPTION = 'Add one.'

/** For those who take JSON Schema. */
export const INPUT = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
export const OUTPUT = { type: 'integer' }

/** For those who take our DSL. */
export const PARAMETERS = { n: { type: 'integer', required: true } }

export async function addOne({ n }) {
  return n + 1
}

/** @throws unless all of `size` values are 2: who is timed does the whole job. */
export function assertAnswers(name, values, size) {
  if (values.length === size && values.every((value) => value === 2)) return
  throw new Error(`${name} answered ${JSON.stringify(values.slice(0, 3))} (${values.length} values) for ${size} times 1 + 1`)
}
