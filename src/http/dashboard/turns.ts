/** Lets `atOnce` pieces of work run side by side; the others wait for their turn, in order. */
export function createTurns(atOnce: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** Counts what each caller asks for, and answers how many seconds he has to wait when it was too much in this minute. */
export function createPace(perMinute: number, now: () => number) {
  let minute = 0
  const counts = new Map<string, number>()
  return (caller: string): number => {
    const current = Math.floor(now() / 60_000)
    if (current !== minute) {
      minute = current
      counts.clear()
    }
    const count = (counts.get(caller) ?? 0) + 1
    counts.set(caller, count)
    return count <= perMinute ? 0 : Math.max(1, Math.ceil(((current + 1) * 60_000 - now()) / 1000))
  }
}
