import { setImmediate as turn } from 'node:timers/promises'

/** Waits for something that is about to happen; fails when it has not within the deadline. */
export async function until<Value>(
  what: string,
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  deadlineMs = 10_000,
): Promise<Value> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > end) throw new Error(`${what}: not within ${deadlineMs} ms`)
    await turn()
  }
}
