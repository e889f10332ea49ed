import { expectTypeOf, test } from 'vitest'
import type * as ports from './contract/ports.ts'
import type * as presentation from './contract/presentation.ts'
import type * as executor from './executor/door.ts'
import type * as root from './index.ts'
import type * as schema from './schema/door.ts'

/** Fails to compile when a name is not exported. */
type Exported<T> = [T] extends [never] ? 'exported, and never' : 'exported'

test('the root exports every interface under its name', () => {
  expectTypeOf<
    [
      Exported<root.ToolDefinition>,
      Exported<root.ToolOutputDefinition>,
      Exported<root.ToolSchema>,
      Exported<root.ToolRestriction>,
      Exported<root.ToolActivationContext>,
      Exported<root.ToolRegistrationOptions>,
      Exported<root.ResolvedToolSet>,
      Exported<root.ToolModelInput>,
      Exported<root.ToolProviderResult>,
      Exported<root.ToolPromptSection>,
      Exported<root.ToolCallBlock>,
      Exported<root.ToolCallId>,
      Exported<root.ToolBatchInput>,
      Exported<root.ToolCallResult>,
      Exported<root.ToolBatchResult>,
      Exported<root.ToolExecutor>,
      Exported<root.ToolExecutionToken>,
      Exported<root.ToolExecutionInput>,
      Exported<root.ToolRunContext>,
      Exported<root.ToolExecutionMode>,
      Exported<root.ToolExecution>,
      Exported<root.ToolDispatchExecution>,
      Exported<root.ToolGuard>,
      Exported<root.ToolFailure>,
      Exported<root.ToolExecutionSuccess>,
      Exported<root.ToolExecutionFailure>,
      Exported<root.ToolExecutionResult>,
      Exported<root.ToolResult>,
      Exported<root.ToolErrorInfo>,
      Exported<root.PreToolDecision>,
      Exported<root.PostToolDecision>,
      Exported<root.PtcDispatchLog>,
      Exported<root.Agent>,
      Exported<root.ModelSelection>,
      Exported<root.ScopeKey>,
      Exported<root.Scoped<root.ToolsService>>,
      Exported<root.ToolsService>,
      Exported<root.ToolEvents>,
      Exported<root.Host>,
      Exported<root.Plugin>,
      Exported<root.ContentBlock>,
      Exported<root.UserMessage>,
      Exported<root.JsonValue>,
    ][number]
  >().toEqualTypeOf<'exported'>()
})

test('the doors export theirs', () => {
  expectTypeOf<
    [
      Exported<presentation.ToolCallView>,
      Exported<presentation.ToolResultView>,
      Exported<presentation.ToolCallKind>,
      Exported<presentation.FileLocation>,
      Exported<presentation.FileDiff>,
      Exported<presentation.ReadFileLine>,
      Exported<ports.Services>,
      Exported<ports.ApprovalService>,
      Exported<ports.SessionSink>,
      Exported<ports.CodeRuntime>,
      Exported<ports.AgentsService>,
      Exported<ports.ModelService>,
      Exported<ports.ResultStore>,
      Exported<ports.Logger>,
      Exported<ports.Clock>,
      Exported<schema.ValueSchemaSpec>,
      Exported<schema.ParameterSchemaSpec>,
      Exported<schema.ParameterPropertySpec>,
      Exported<schema.StringValueSchemaSpec>,
      Exported<schema.NumberValueSchemaSpec>,
      Exported<schema.IntegerValueSchemaSpec>,
      Exported<schema.BooleanValueSchemaSpec>,
      Exported<schema.NullValueSchemaSpec>,
      Exported<schema.ArrayValueSchemaSpec>,
      Exported<schema.ObjectValueSchemaSpec>,
      Exported<schema.JsonValueSchemaSpec>,
      Exported<schema.OneOfValueSchemaSpec>,
      Exported<schema.InferValue<{ type: 'string' }>>,
      Exported<schema.InferArgs<{ a: { type: 'string' } }>>,
      Exported<schema.JsonSchemaNode>,
      Exported<schema.JsonSchemaType>,
      Exported<schema.JsonSchemaScalar>,
      Exported<schema.ObjectJsonSchema>,
      Exported<executor.ExecutionOptions>,
      Exported<executor.ParsedCall>,
      Exported<executor.Gate>,
    ][number]
  >().toEqualTypeOf<'exported'>()
})
