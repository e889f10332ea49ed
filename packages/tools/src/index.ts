/** `@dsh/tools`: the tool-execution runtime. Schema types are behind `@dsh/tools/schema`, cards behind `/presentation`, ports behind `/ports`. */
export type { ContentBlock, UserMessage } from './contract/content.ts'
export type { ToolEvents, ToolProgress, ToolStall } from './contract/events.ts'
export type {
  LoggedCall,
  MissingToolCall,
  ToolBatchInput,
  ToolBatchLog,
  ToolBatchResult,
  ToolCallBlock,
  ToolCallResult,
  ToolExecutor,
  ToolModelInput,
  ToolPromptSection,
  ToolProviderResult,
} from './contract/executor.ts'
export type { Host, Plugin, PluginFunction, PluginHandle, PluginObject } from './contract/host.ts'
export type { JsonValue } from './contract/json.ts'
export type { Scoped, ToolExplanation, ToolsService } from './contract/service.ts'
export type {
  Agent,
  ModelSelection,
  PostToolDecision,
  PreToolDecision,
  PtcDispatchLog,
  ResolvedToolSet,
  ScopeKey,
  ToolAccess,
  ToolActivationContext,
  ToolCallId,
  ToolDefinition,
  ToolDiagnostic,
  ToolDispatchExecution,
  ToolEffects,
  ToolErrorInfo,
  ToolExecution,
  ToolExecutionFailure,
  ToolExecutionInput,
  ToolExecutionMode,
  ToolExecutionResult,
  ToolExecutionSuccess,
  ToolExecutionToken,
  ToolFailure,
  ToolGuard,
  ToolOutputDefinition,
  ToolRegistrationOptions,
  ToolRestriction,
  ToolResult,
  ToolRunContext,
  ToolSchema,
} from './contract/tool.ts'
export { snapshotJson } from './json/snapshot.ts'
export { closeBatch, isToolBatchExecutionError, ToolBatchExecutionError } from './outcome/batch-error.ts'
export { FAILURES, type FailureCode } from './outcome/failures.ts'
export { ToolNotFoundError } from './outcome/not-found.ts'
export { ToolError } from './outcome/tool-error.ts'
export { ToolTimeoutError } from './outcome/tool-timeout-error.ts'
export { createRuntime } from './runtime/create-runtime.ts'
export type { RuntimeOptions } from './runtime/options.ts'
export type { Scope } from './runtime/scope.ts'
export { parameterSchemaSpecToJsonSchema, valueSchemaSpecToJsonSchema } from './schema/spec.ts'
export { assertObjectJsonSchema, assertSupportedJsonSchema, JsonSchemaError } from './schema/subset.ts'
export { ToolArgsError, ToolOutputError, validateArgs, validateJsonSchemaValue } from './schema/validate.ts'
export { toToolCallId } from './tool/call-id.ts'
export { defineTool } from './tool/define-tool.ts'
