/** `@dsh/tools/schema`: the types of schemas, the author's and the wire's. */
export type { JsonSchemaNode, JsonSchemaScalar, JsonSchemaType, ObjectJsonSchema } from '../contract/json.ts'
export type { InferArgs, InferValue } from './infer.ts'
export type {
  ArrayValueSchemaSpec,
  BooleanValueSchemaSpec,
  IntegerValueSchemaSpec,
  JsonValueSchemaSpec,
  NullValueSchemaSpec,
  NumberValueSchemaSpec,
  ObjectValueSchemaSpec,
  OneOfValueSchemaSpec,
  ParameterPropertySpec,
  ParameterSchemaSpec,
  StringValueSchemaSpec,
  ValueSchemaSpec,
} from './nodes.ts'
export type { Violation } from './violations.ts'
