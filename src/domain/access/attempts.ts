const windowMs = 60_000
const allowedFailures = 10
const maxAddresses = 10_000
const maxKnownKeys = 1_000

/**
 * Slows down guessing: after ten wrong keys from one address within a minute, further keys from there are turned away
 * without a look at the database. Keys that were right lately still pass, so that one broken client behind a shared
 * address does not lock out its neighbours. Kept in memory, a process for itself, bounded.
 */
export function createAttempts(now: () => number) {
  const failures = new Map<string, number[]>()
  const knownKeys = new Set<string>()

  const recent = (address: string) => (failures.get(address) ?? []).filter((at) => at > now() - windowMs)
  const bounded = <Key>(all: { size: number; keys(): Iterator<Key>; delete(key: Key): boolean }, max: number) => {
    if (all.size > max) all.delete(all.keys().next().value as Key)
  }
  return {
    /** How many seconds this caller must wait, or 0. */
    waitSeconds(address: string, keyHash: string): number {
      const times = recent(address)
      if (times.length < allowedFailures || knownKeys.has(keyHash)) return 0
      return Math.ceil((Math.min(...times.slice(-allowedFailures)) + windowMs - now()) / 1000)
    },
    failed(address: string, keyHash: string): void {
      knownKeys.delete(keyHash)
      const times = [...recent(address), now()].slice(-allowedFailures)
      failures.delete(address)
      failures.set(address, times)
      bounded(failures, maxAddresses)
    },
    succeeded(keyHash: string): void {
      knownKeys.delete(keyHash)
      knownKeys.add(keyHash)
      bounded(knownKeys, maxKnownKeys)
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>
