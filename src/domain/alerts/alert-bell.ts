import type { Listener } from '../../db/listen.ts'
import { usualKeepAliveMs } from '../stream.ts'

export type AlertBell = Disposable & {
  /** How long a stream may be silent before it says that it lives. */
  readonly keepAliveMs: number
  readonly isStopped: boolean
  /** Answers at the next ring. Asked for before reading, nothing can slip in between. */
  next(): Promise<void>
}

/**
 * Rings in this process whenever an alert was raised or became more severe, and after a gap in listening. It says no more
 * than that: each subscriber then reads on from its own place, so one who is slow holds nothing up and misses nothing.
 */
export function startAlertBell({
  listener,
  keepAliveMs = usualKeepAliveMs,
}: {
  listener: Listener
  keepAliveMs?: number | undefined
}): AlertBell {
  let rung = Promise.withResolvers<void>()
  let isStopped = false
  const ring = () => {
    const { resolve } = rung
    rung = Promise.withResolvers()
    resolve()
  }
  const ear = listener.on('freshet_alerts', ring, ring)
  return {
    keepAliveMs,
    get isStopped() {
      return isStopped
    },
    next: () => rung.promise,
    [Symbol.dispose]() {
      isStopped = true
      ear[Symbol.dispose]()
      ring()
    },
  }
}
