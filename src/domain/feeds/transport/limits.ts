/** How long a server may take: to let us in, to send the next bytes, and in all. */
export type Limits = { connectMs: number; idleMs: number; totalMs: number }

export const standardLimits: Limits = { connectMs: 30_000, idleMs: 60_000, totalMs: 2 * 3_600_000 }

/** What must arrive within `idleMs`, at least: a server that sends a byte now and then would hold a worker for days. */
export const leastBytes = 4_096

/** A signal that is aborted by another one, by `cut`, or when one of its time limits is over, whichever comes first. */
export type Watch = Disposable & {
  readonly signal: AbortSignal
  cut(reason: Error): void
  /** Starts a time limit in place of the one that runs. */
  limit(ms: number, onLate: () => Error): void
  /** Starts the running limit anew once enough has come since it began; without a number, at once. */
  touch(bytes?: number): void
}

/** Watches over something that may hang. Disposing of it ends its timer; what was aborted stays so. */
export function watch(outer: AbortSignal): Watch {
  const own = new AbortController()
  const signal = AbortSignal.any([outer, own.signal])
  let timer: NodeJS.Timeout | undefined
  let received = 0
  return {
    signal,
    cut: (reason) => own.abort(reason),
    limit(ms, onLate) {
      clearTimeout(timer)
      received = 0
      timer = setTimeout(() => own.abort(onLate()), ms)
    },
    touch(bytes = leastBytes) {
      received += bytes
      if (received < leastBytes) return
      received = 0
      timer?.refresh()
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
