import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The memory that is in use, on the heap and in buffers; what other tests left to be collected does not count. */
export function memoryUsed(): number {
  collectGarbage()
  collectGarbage() // what was held by something that the first round ended
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
