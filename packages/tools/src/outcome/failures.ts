import type { ToolFailure } from '../contract/tool.ts'
import { excerpt } from '../json/text.ts'

/** What is to know of a code. */
export interface FailureKind {
  /** Name of the error class a reader of the log may look for. */
  readonly name: string
  /** Who gets to read the message: the model in its content, the host in `error`, the session log. */
  readonly readers: readonly ('model' | 'host' | 'log')[]
  /** When it happens, for the reference. */
  readonly when: string
  /** The message. `{tool}` and `{detail}` are filled in. */
  readonly text: string
}

const everyone = ['model', 'host', 'log'] as const

/** A code of the runtime. Tools may bring codes of their own beside these. */
export type FailureCode =
  | 'UNKNOWN_TOOL'
  | 'INVALID_ARGS'
  | 'DENIED'
  | 'APPROVAL_REJECTED'
  | 'APPROVAL_UNAVAILABLE'
  | 'APPROVAL_CANCELLED'
  | 'APPROVAL_EXPIRED'
  | 'GUARD_DENIED'
  | 'POLICY_FAILED'
  | 'ABORTED_BEFORE_DISPATCH'
  | 'ABORTED'
  | 'TOOL_TIMEOUT'
  | 'TOOL_FAILED'
  | 'INVALID_TOOL_OUTPUT'
  | 'RESULT_BLOCKED'
  | 'CODE_RUN_FAILED'
  | 'TOOL_NOT_STARTED'
  | 'TOOL_OUTCOME_UNKNOWN'

/** Every code of the runtime. The reference table in the docs is generated from this one. */
export const FAILURES: Readonly<Record<FailureCode, FailureKind>> = {
  UNKNOWN_TOOL: {
    name: 'ToolNotFoundError',
    readers: everyone,
    when: 'No callable tool of that name in the scope, or not in this way.',
    text: 'There is no tool named {tool} to call here. {detail}',
  },
  INVALID_ARGS: {
    name: 'ToolArgsError',
    readers: everyone,
    when: 'The arguments are not JSON, not an object, not lossless, or break the schema.',
    text: 'The arguments of {tool} were not accepted, and it did not run. {detail}',
  },
  DENIED: {
    name: 'ToolDeniedError',
    readers: everyone,
    when: 'A pre-execute policy denied the call.',
    text: 'The call of {tool} was denied: {detail}',
  },
  APPROVAL_REJECTED: {
    name: 'ToolDeniedError',
    readers: everyone,
    when: 'The person who was asked said no.',
    text: 'The call of {tool} needed an approval and was rejected, so it did not run. {detail}',
  },
  APPROVAL_UNAVAILABLE: {
    name: 'ToolDeniedError',
    readers: everyone,
    when: 'The call needs an approval and nobody can be asked.',
    text: 'The call of {tool} needs an approval and nobody can give it, so it did not run: {detail}',
  },
  APPROVAL_CANCELLED: {
    name: 'ToolDeniedError',
    readers: everyone,
    when: 'The approval request was closed without an answer.',
    text: 'The approval request for {tool} was closed without an answer, so it did not run. {detail}',
  },
  APPROVAL_EXPIRED: {
    name: 'ToolDeniedError',
    readers: everyone,
    when: 'The approval request ran out before anybody answered.',
    text: 'The approval request for {tool} expired before anybody answered, so it did not run. {detail}',
  },
  GUARD_DENIED: {
    name: 'ToolDeniedError',
    readers: everyone,
    when: 'A guard refused the call.',
    text: 'The call of {tool} was denied: {detail}',
  },
  POLICY_FAILED: {
    name: 'ToolPolicyError',
    readers: everyone,
    when: 'A policy broke: it threw, answered nothing, or answered nonsense. The call fails closed.',
    text: 'A policy failed while {tool} was being decided or reviewed. {detail} Tell the person who runs this system.',
  },
  ABORTED_BEFORE_DISPATCH: {
    name: 'AbortError',
    readers: everyone,
    when: 'The caller cancelled before the body began.',
    text: 'The call of {tool} was cancelled before it began. {detail}',
  },
  ABORTED: {
    name: 'AbortError',
    readers: everyone,
    when: 'The caller cancelled after the body began, and no failure came first.',
    text: 'The call of {tool} was cancelled while it ran. {detail}',
  },
  TOOL_TIMEOUT: {
    name: 'ToolTimeoutError',
    readers: everyone,
    when: 'The deadline of the tool passed before its body settled.',
    text: '{tool} ran out of time and was cancelled. {detail} Try a smaller request.',
  },
  TOOL_FAILED: {
    name: 'ToolError',
    readers: everyone,
    when: 'The body or a wrapper threw, and gave no code of its own.',
    text: '{detail}',
  },
  INVALID_TOOL_OUTPUT: {
    name: 'ToolOutputError',
    readers: everyone,
    when: 'The body or a policy made a value, content or metadata that is not lossless JSON or breaks the output schema.',
    text: '{tool} gave a result that cannot be used: {detail}',
  },
  RESULT_BLOCKED: {
    name: 'ToolResultBlockedError',
    readers: everyone,
    when: 'A post-execute policy blocked the result.',
    text: 'The result of {tool} was blocked. {detail}',
  },
  CODE_RUN_FAILED: {
    name: 'CodeRunFailedError',
    readers: everyone,
    when: 'A program of run_code did not run to its end.',
    text: '{detail}',
  },
  TOOL_NOT_STARTED: {
    name: 'ToolNotStartedError',
    readers: everyone,
    when: 'The batch or the process ended before the call began.',
    text: '{tool} was not started, because the batch it belongs to could not go on. {detail} It is safe to call it again.',
  },
  TOOL_OUTCOME_UNKNOWN: {
    name: 'ToolOutcomeUnknownError',
    readers: everyone,
    when: 'The batch or the process ended after the body began and before its result was kept.',
    text: '{tool} was started and its outcome is not known. {detail}',
  },
}

/**
 * Make a failure from the table.
 * @param detail - one or two sentences that fill in what the table cannot know.
 * @param reason - raw detail for people and logs; never in the message.
 */
export function failure(code: FailureCode, tool: string, detail = '', reason?: string): ToolFailure {
  const kind = FAILURES[code]
  const text = detail === '' ? kind.text.replace(/ ?\{detail\}/, '') : kind.text
  const message = text.replaceAll(/\{(tool|detail)\}/g, (_, field) => (field === 'tool' ? JSON.stringify(excerpt(tool, 80)) : detail))
  return { message, info: reason === undefined ? { name: kind.name, code } : { name: kind.name, code, reason } }
}

/** Whether a code belongs to the runtime, so that a tool's own error cannot pass for a denial or a cancellation. */
export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code)
}
