// The one thing behind no door that is timed alone: the validation that `tools.execute` runs on arguments and values.
export { compileSchema } from '../node_modules/@dsh/tools/dist/schema/compile.js'
