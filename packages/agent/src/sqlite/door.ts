/** `@dsh/agent/sqlite`: sessions in a SQLite file. It needs the package `libsql`. */
export { openSqliteStore, type SqliteStoreOptions } from './open-sqlite-store.ts'
