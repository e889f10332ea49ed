/** `@dsh/agent/testing`: what tests of session stores are made of. */
export { describeStore, type StoresUnderTest } from './describe-store.ts'
