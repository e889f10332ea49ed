import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ToolDefinition } from '@dsh/tools'
import type { JsonSchemaNode } from '@dsh/tools/schema'
import { type CliIo, readAll } from '../cli-io.ts'
import { decodeText } from '../text/decode.ts'
import { systemReason, UsageError } from '../usage-error.ts'

/** The JSON text of a call's arguments, from `--args-json FILE` or from `--arg name=value` pairs. @throws UsageError */
export async function callArguments(
  io: CliIo,
  definition: ToolDefinition | undefined,
  pairs: readonly string[],
  file: string | undefined,
): Promise<string> {
  if (file !== undefined && pairs.length > 0) throw new UsageError('Give the arguments with --arg or with --args-json, not with both.')
  if (file !== undefined) return readArguments(io, file)
  return toJson(pairs.map((pair) => parsePair(pair, definition)))
}

async function readArguments(io: CliIo, file: string): Promise<string> {
  const wayOut = 'Name a file that holds one JSON object, or - for standard input.'
  const text = decodeText(await readBytes(io, file, wayOut), { stripBom: true })
  if (text === undefined) throw new UsageError(`--args-json ${file}: it is not UTF-8 text. ${wayOut}`)
  return text
}

async function readBytes(io: CliIo, file: string, wayOut: string): Promise<Buffer> {
  if (file === '-') return readAll(io.stdin)
  try {
    return await readFile(resolve(io.cwd, file))
  } catch (error) {
    throw new UsageError(`--args-json ${file}: ${systemReason(error)}. ${wayOut}`, { cause: error })
  }
}

interface Pair {
  readonly name: string
  /** JSON text: numbers keep their digits, so that one which cannot be held is refused and not rounded. */
  readonly json: string
}

function parsePair(pair: string, definition: ToolDefinition | undefined): Pair {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--arg ${pair}: write it as name=value.`)
  const name = pair.slice(0, at)
  const text = pair.slice(at + 1)
  const properties = definition?.parameters.properties ?? {}
  const schema = Object.getOwnPropertyDescriptor(properties, name)?.value as JsonSchemaNode | undefined
  if (definition && schema === undefined) assertKnown(definition.name, name, Object.keys(properties))
  if (schema?.type === 'string') return { name, json: JSON.stringify(text) }
  if (isJson(text)) return { name, json: text }
  // Where the schema leaves it open, what is not JSON is text. Elsewhere it is a slip, and the runtime would only say half of it.
  if (schema?.type === undefined) return { name, json: JSON.stringify(text) }
  throw new UsageError(`--arg ${pair}: ${name} must be ${schema.type}, written as JSON.`)
}

/** A misspelt name would be ignored by a tool that is open to others, and the answer would look right. */
function assertKnown(tool: string, name: string, known: readonly string[]): void {
  if (known.length === 0) return // a tool that declares nothing takes anything
  const near = known.filter((other) => other.toLowerCase() === name.toLowerCase() || other.startsWith(name) || name.startsWith(other))
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `its arguments are ${known.join(', ')}.`
  throw new UsageError(`--arg ${name}: ${tool} has no argument of that name; ${hint} (--args-json passes anything on.)`)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // the verdict is all that is asked for
  }
}

function toJson(pairs: readonly Pair[]): string {
  const repeated = pairs.find(({ name }, index) => pairs.findIndex((other) => other.name === name) !== index)
  if (repeated) throw new UsageError(`--arg ${repeated.name} is given twice.`)
  return `{${pairs.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
