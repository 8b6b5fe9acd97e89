/** Random numbers from 0 to below 1, the same for the same seed (mulberry32). The seed is printed with what it is for. */
export function seededRandom(what: string, seed: number): () => number {
  console.log(`${what}: seed ${seed}`)
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Prints a figure of a fault case in one line: `R7 {"exits": 1}`. */
export function report(fault: string, figures: Record<string, unknown>): void {
  console.log(`${fault} ${JSON.stringify(figures)}`)
}
