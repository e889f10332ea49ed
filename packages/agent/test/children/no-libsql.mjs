// Opens a store where the package libsql is not installed, and says what it was told. argv: FOLDER
import { register } from 'node:module'

const hooks = `export function resolve(name, context, next) {
  if (name === 'libsql') throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
const { openSqliteStore } = await import('@dsh/agent/sqlite')
const error = await openSqliteStore({ folder: process.argv[2] }).catch((thrown) => thrown)
console.log(JSON.stringify({ code: error.code, message: error.message }))
