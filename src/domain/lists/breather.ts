import { setImmediate as turn } from 'node:timers/promises'

const sliceMs = 20

/**
 * For work that takes long without ever waiting: call and await what this answers now and then. Each time that 20 ms have
 * gone by it lets other requests, timers and signals have their turn.
 */
export function createBreather(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < sliceMs) return undefined
    return turn().then(() => void (began = performance.now()))
  }
}
