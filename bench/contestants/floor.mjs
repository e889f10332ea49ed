// What nobody can do without: parse, validate both ways, await, copy.
import Ajv from 'ajv'
import { ARGUMENTS, addOne, assertAnswers, INPUT, OUTPUT } from './trivial.mjs'

export const name = 'hand-written floor'
export const packages = ['ajv']

export async function create() {
  const ajv = new Ajv()
  const input = ajv.compile(INPUT)
  const output = ajv.compile(OUTPUT)
  const one = async () => {
    const args = JSON.parse(ARGUMENTS)
    if (!input(args)) throw new Error('the arguments do not fit')
    const value = structuredClone(await addOne(args))
    if (!output(value)) throw new Error('the value does not fit')
    return value
  }
  assertAnswers(name, [await one()], 1)
  return { one }
}
