import type { ToolDefinition } from '../contract/tool.ts'
import { sha256 } from '../json/sha256.ts'

const known = new WeakMap<ToolDefinition, Promise<string> | string>()

/**
 * Identity of what a definition promises: a SHA-256, in hexadecimal, of its name, description, schemas and effects. The code of its
 * body is not part of it. @returns at once when it is known.
 */
export function digestOf(definition: ToolDefinition): Promise<string> | string {
  const digest = known.get(definition) ?? sha256(promiseOf(definition)).then((hex) => remember(definition, hex))
  known.set(definition, digest)
  return digest
}

function remember(definition: ToolDefinition, digest: string): string {
  known.set(definition, digest)
  return digest
}

function promiseOf({ name, description, parameters, output, effects = 'unknown' }: ToolDefinition): string {
  return JSON.stringify([name, description, parameters, output.schema, effects])
}
