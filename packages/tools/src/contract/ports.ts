import type { ContentBlock } from './content.ts'
import type { JsonSchemaNode, JsonValue } from './json.ts'
import type { ModelService } from './model.ts'
import type { Agent, ToolCallId, ToolExecution, ToolRestriction } from './tool.ts'

export type {
  AssistantBlock,
  CallResultMessage,
  ModelEvent,
  ModelFinishReason,
  ModelMessage,
  ModelRequest,
  ModelService,
  ModelUsage,
  ReasoningBlock,
  RequestedCall,
  SpokenBlock,
} from './model.ts'
export type { SessionSink } from './session.ts'

/** Time, so that a test can own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Run `callback` once, `delayMs` from now: however long that is, never where it is Infinity. @returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** The host's log. `detail` is for the reader of the log, never for a model. */
export interface Logger {
  debug(message: string, detail?: unknown): void
  info(message: string, detail?: unknown): void
  warn(message: string, detail?: unknown): void
  error(message: string, detail?: unknown): void
}

/** What is asked of a person, or of whoever decides in their place. */
export interface ApprovalRequest {
  readonly exec: Readonly<ToolExecution>
  /** The audited reason. */
  readonly reason?: string
  /** The prompt a person reads, by locale. */
  readonly displayReason?: Readonly<Record<string, string>>
  /** Fires when the caller is gone: the request is withdrawn, and nobody is recorded as having refused. */
  readonly signal: AbortSignal
}

/** The answer. Only `allowed-once` lets the call go on. */
export interface ApprovalAnswer {
  readonly outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'
  /** A person's note, which the model reads with a refusal. */
  readonly note?: string
  /** The request ran out before anybody answered. */
  readonly expired?: boolean
}

/** Port `approval`: asks a person. */
export interface ApprovalService {
  request(ask: ApprovalRequest): Promise<ApprovalAnswer>
}

/** Port `agents`: starts child agents. */
export interface AgentsService {
  /**
   * Run a child agent to its end. Settles after its work has stopped.
   * @throws when the child could not be started or failed.
   */
  start(request: {
    readonly parent?: Agent
    readonly prompt: readonly ContentBlock[]
    /** Narrows what the child inherits. */
    readonly tools?: ToolRestriction
    /** Shape the final answer must have. */
    readonly output?: JsonSchemaNode
    readonly signal: AbortSignal
  }): Promise<{ readonly agent: Agent; readonly content: readonly ContentBlock[]; readonly value?: JsonValue }>
}

/** Whose result is kept. */
export interface KeepRequest {
  readonly callId: ToolCallId
  readonly tool: string
  readonly agent?: Agent
}

/** A text that is kept piece by piece, as it comes. Until `end` it has no locator. */
export interface TextKeeper {
  /** Keep bytes of UTF-8, cut anywhere. Settles when it can take more. */
  append(bytes: Uint8Array): Promise<void>
  /** All has come. @returns the locator. */
  end(): Promise<string>
  /** Forget it; nothing is left of it. */
  discard(): Promise<void>
}

/** A result that is kept. */
export interface KeptResult {
  readonly tool: string
  /** Size of its text, in UTF-8. */
  readonly bytes: number
  /** Whether there is a value, beside the text. */
  readonly hasValue: boolean
  /** The text from a byte on, in chunks of UTF-8 cut anywhere. */
  text(from?: number): AsyncIterable<Uint8Array>
  /** The canonical value. @throws when there is none. */
  value(): Promise<JsonValue>
}

/** Port `results`: keeps large values and texts beside the session. */
export interface ResultStore {
  /**
   * Keep a value, and the text a model would have read of it (without one, the value as indented JSON).
   * @returns the locator that `open` and `fetch` take.
   */
  keep(result: KeepRequest & { readonly value: JsonValue; readonly text?: string }): Promise<string>
  /** Begin to keep a text whose size nobody knows yet, such as the output of a command. */
  keepText(request: KeepRequest): Promise<TextKeeper>
  /** Open what is kept, or undefined when the locator is unknown. */
  open(locator: string): Promise<KeptResult | undefined>
  /** Fetch a kept value, or undefined when the locator is unknown or has no value. */
  fetch(locator: string): Promise<JsonValue | undefined>
}

/** A command that is to run in the background. */
export interface JobRequest {
  readonly command: string
  /** Absolute folder. */
  readonly cwd: string
  /** All that the command sees of an environment. */
  readonly env: Readonly<Record<string, string>>
  /** What it is for, in a few words. */
  readonly description?: string
  /** From its start to its end; without one it has no deadline. */
  readonly timeoutMs?: number
}

/** A command that runs in the background. */
export interface StartedJob {
  /** By which its owner's calls name it: `job-1`. */
  readonly id: string
  /** Process id of its shell; undefined where it is no process of this machine. */
  readonly pid: number | undefined
}

/** Port `jobs`: what agents run in the background, beyond the call that began it. */
export interface JobsService {
  /**
   * Start a command for the agent of a call. Settles when it runs; from then on the call may end.
   * @throws an error with a code when there are too many, or the owner is gone; the signal's reason when the call is cancelled before the
   * command runs, and then nothing is left of it.
   */
  start(request: JobRequest, call: KeepRequest & { readonly signal: AbortSignal }): Promise<StartedJob>
  /** End everything that an agent runs, or, without one, that calls without an agent began. Settles when it is gone. */
  stop(agent?: Agent): Promise<void>
}

/** Port `codeRuntime`: runs one program against tool bindings. */
export interface CodeRuntime {
  readonly language: 'typescript' | 'python'
  /** Run to the end. Rejects with an error that says how the run failed and carries its logs. */
  run(
    program: { readonly code: string; readonly callId: ToolCallId; readonly seed: string },
    bindings: { readonly names: readonly string[]; call(name: string, args: JsonValue): Promise<JsonValue> },
    signal: AbortSignal,
  ): Promise<{ readonly logs: readonly string[]; readonly result?: JsonValue }>
}

/**
 * The ports a scope can look up by name, merged by declaration: a plugin adds its own with
 * `declare module '@dsh/tools/ports' { interface Services { name: Type } }`.
 */
export interface Services {
  approval: ApprovalService
  agents: AgentsService
  model: ModelService
  results: ResultStore
  jobs: JobsService
  codeRuntime: CodeRuntime
  logger: Logger
  clock: Clock
}
