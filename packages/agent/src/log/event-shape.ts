import type { JsonValue } from '@dsh/tools'

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number'
const flag: Check = (value) => typeof value === 'boolean'
const texts: Check = (value) => Array.isArray(value) && value.every(text)
const content: Check = (value) => Array.isArray(value) && value.every(isBlock)
const spoken: Check = (value) =>
  content(value) && (value as Record<string, unknown>[]).every((block) => block['type'] !== 'tool-call' || isCall(block))
const error: Check = (value) =>
  isRecord(value) && (value['info'] === undefined || (isRecord(value['info']) && optional(text)(value['info']['code'])))

const contexts: Check = (value) => Array.isArray(value) && value.every((context) => isRecord(context) && content(context['content']))

/** What is read of each type of event. Views are not among it: whoever shows one treats it as of any shape. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'session/start': { key: text },
  'agent/parent': { session: text, turn: number, path: texts },
  'turn/start': { turn: number },
  'user/message': { content },
  'step/start': { turn: number, step: number, model: optional(isRecord) },
  'assistant/message': {
    turn: number,
    step: number,
    content: spoken,
    usage: optional(isRecord),
    finish: optional(text),
    broken: optional(isRecord),
  },
  'agent/start': { turn: number, agent: text, session: text },
  'agent/end': { turn: number, agent: text, session: text, outcome: text },
  'turn/end': { turn: number, outcome: text, steps: number, usage: optional(isRecord), error: optional(isRecord) },
  'tool/call': { turn: number, step: number, callId: text, name: text, arguments: (value) => value === null || text(value) },
  'approval/asked': {
    call: number,
    reason: optional(text),
    displayReason: optional(isRecord),
    path: optional(texts),
    expiresAt: optional(number),
  },
  'approval/decided': { call: number, outcome: text, note: optional(text), expired: optional(flag), by: optional(text) },
  'approval/granted': { call: number, tool: text, rule: text, by: text },
  'tool/start': { call: number, attempt: number, effects: text, definition: text },
  'tool/result': { call: number, callId: text, isError: flag, content, error: optional(error), contexts: optional(contexts) },
}

/** Whether the data of an event is what its type promises. A log may come from anywhere; a type that is not known here promises nothing. */
export function isWellFormed(type: string, data: JsonValue): boolean {
  const shape = Object.hasOwn(SHAPES, type) ? SHAPES[type] : undefined
  if (shape === undefined) return true
  return isRecord(data) && Object.entries(shape).every(([key, check]) => check(data[key]))
}

function isBlock(block: unknown): boolean {
  return isRecord(block) && text(block['type']) && (block['type'] !== 'text' || text(block['text']))
}

function isCall(block: Readonly<Record<string, unknown>>): boolean {
  return text(block['callId']) && text(block['name']) && text(block['arguments'])
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}
