import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap that can still be reached. */
export async function heapInUse(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve)) // what a finished turn still held can go now
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}
