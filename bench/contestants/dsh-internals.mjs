// What is behind no door and timed alone: the validation that `tools.execute` runs on arguments and values.
export { snapshotJson } from '../node_modules/@dsh/tools/dist/json/snapshot.js'
export { compileSchema } from '../node_modules/@dsh/tools/dist/schema/compile.js'
export { accepts, planOf } from '../node_modules/@dsh/tools/dist/schema/plan.js'
