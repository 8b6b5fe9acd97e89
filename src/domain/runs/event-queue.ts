import type { PlacedEvent } from './event.ts'

/** What waiting for an event brings: one, nothing for a while, or that no more will come this way. */
export type Taken = PlacedEvent | 'quiet' | 'over'

/** How many events a subscriber may be behind before progress is merged. */
export const maxBehind = 1_000

/**
 * What one subscriber has still to take. It holds at most `max` events: beyond that, the oldest PROGRESS event that has a
 * later one of the same run is merged into it, which loses nothing but the step, for events carry whole counters. When
 * only events are left that are never merged, the queue takes no more, and its owner reads on in the database.
 */
export class EventQueue implements Disposable {
  readonly #events: PlacedEvent[] = []
  readonly #max: number
  readonly #leave: (queue: EventQueue) => void
  #isOver = false
  #wake: ((taken: Taken) => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(leave: (queue: EventQueue) => void, max = maxBehind) {
    this.#leave = leave
    this.#max = max
  }

  get size(): number {
    return this.#events.length
  }

  push(event: PlacedEvent): void {
    if (this.#isOver) return
    if (this.#wake) return this.#answer(event)
    this.#events.push(event)
    if (this.#events.length <= this.#max || this.#merge()) return
    this.#events.pop()
    this.#end()
  }

  /** The next event, as soon as there is one; `quiet` when there was none for so long. One caller at a time. */
  take(quietMs: number): Promise<Taken> {
    const event = this.#events.shift()
    if (event) return Promise.resolve(event)
    if (this.#isOver) return Promise.resolve('over')
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(() => this.#answer('quiet'), quietMs).unref()
    })
  }

  /** Nobody takes any more: what is left is forgotten, and whoever waits is told. */
  [Symbol.dispose](): void {
    this.#events.length = 0
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#leave(this)
    this.#answer('over')
  }

  #answer(taken: Taken): void {
    clearTimeout(this.#timer)
    const wake = this.#wake
    this.#wake = undefined
    wake?.(taken)
  }

  /** Merges one event, the oldest that can be. Going backwards, each run's next later PROGRESS event is known. */
  #merge(): boolean {
    const laterOf = new Map<bigint, number>()
    let found: { earlier: number; later: number } | undefined
    for (let index = this.#events.length - 1; index >= 0; index--) {
      const event = this.#events[index]
      if (event?.kind !== 'PROGRESS') continue
      const later = laterOf.get(event.runId)
      if (later !== undefined) found = { earlier: index, later }
      laterOf.set(event.runId, index)
    }
    const [earlier, later] = [this.#events[found?.earlier ?? -1], this.#events[found?.later ?? -1]]
    if (!found || !earlier || !later) return false
    this.#events[found.later] = { ...later, mergedCount: later.mergedCount + 1 + earlier.mergedCount }
    this.#events.splice(found.earlier, 1)
    return true
  }
}
