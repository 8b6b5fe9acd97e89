const windowMs = 60_000
const allowedFailures = 10
const maxAddresses = 10_000
const maxKnownKeys = 1_000

/** What came of a key: the answer of the look-up, or how long to wait before the next one. */
type Attempt<Found> = { waitSeconds: number; found?: undefined } | { waitSeconds: 0; found: Found | undefined }

/**
 * Slows down guessing: after ten wrong keys from one address within a minute, further keys from there are turned away
 * without a look at the database. A right key that was not seen before is turned away with them: whatever told it apart would
 * try the keys of a guesser, too. Keys that were right lately still pass, so that one broken client behind a shared
 * address does not lock out its neighbours. Kept in memory, a process for itself, bounded.
 */
export function createAttempts(now: () => number) {
  const failures = new Map<string, number[]>()
  const lookups = new Map<string, Set<Promise<unknown>>>()
  const knownKeys = new Set<string>()

  // A clock that was set back leaves failures in the future: they would shut an address out until then.
  const recent = (address: string) => (failures.get(address) ?? []).filter((at) => at > now() - windowMs && at <= now())
  const waitSeconds = (address: string) => {
    const times = recent(address)
    return times.length < allowedFailures ? 0 : Math.ceil((Math.min(...times) + windowMs - now()) / 1000)
  }
  const succeeded = (key: string) => {
    knownKeys.delete(key)
    knownKeys.add(key)
    dropOldest(knownKeys, maxKnownKeys)
  }
  const failed = (address: string, key: string) => {
    knownKeys.delete(key)
    const times = [...recent(address), now()].slice(-allowedFailures)
    failures.delete(address)
    failures.set(address, times)
    dropOldest(failures, maxAddresses)
  }
  /** Counts a look-up as under way until it is over, well or not. */
  const underWay = async <Found>(address: string, lookup: Promise<Found>): Promise<Found> => {
    const others = lookups.get(address) ?? new Set()
    const over = Promise.allSettled([lookup])
    lookups.set(address, others.add(over))
    try {
      return await lookup
    } finally {
      others.delete(over)
      if (others.size === 0) lookups.delete(address)
    }
  }

  return {
    /**
     * Looks a key up unless too many wrong ones came from the address. Look-ups under way count as if they were wrong,
     * or a burst would pass before the first answer; one too many waits for an answer.
     */
    async attempt<Found>(
      address: string,
      key: string,
      look: () => Promise<Found | undefined>,
    ): Promise<Attempt<Found>> {
      while (!knownKeys.has(key)) {
        const seconds = waitSeconds(address)
        if (seconds > 0) return { waitSeconds: seconds }
        const others = [...(lookups.get(address) ?? [])]
        if (recent(address).length + others.length < allowedFailures) break
        await Promise.race(others)
      }
      const found = await underWay(address, look())
      if (found === undefined) failed(address, key)
      else succeeded(key)
      return { waitSeconds: 0, found }
    },
  }
}

function dropOldest<Key>(all: { size: number; keys(): Iterator<Key>; delete(key: Key): boolean }, max: number) {
  const oldest = all.keys().next()
  if (all.size > max && !oldest.done) all.delete(oldest.value)
}

export type Attempts = ReturnType<typeof createAttempts>
