import type { Listener } from '../../db/listen.ts'
import type { Pool } from '../../db/pool.ts'
import { reason, type Log } from '../../log.ts'
import { usualKeepAliveMs } from '../stream.ts'
import { EventQueue } from './event-queue.ts'
import { eventsAtOnce, placeRunEvents, readEventsAfter, readLastPosition, type PlacedEvent } from './event.ts'

type Wanted = (event: PlacedEvent) => boolean

export type EventHub = AsyncDisposable & {
  /** How long a stream may be silent before it says that it lives. */
  readonly keepAliveMs: number
  readonly isStopped: boolean
  /** Begins to pass on what is wanted of the events that get their places from now on, until the queue is disposed of. */
  join(isWanted: Wanted): EventQueue
  /** Gives what is committed by now its places; answers the last one. */
  place(): Promise<bigint>
}

type Parts = { listener: Listener; pool: Pool; log: Log; keepAliveMs?: number | undefined; maxBehind?: number }

const retryMs = 1_000

/**
 * The one place of a process where events of runs arrive. When any are announced it sees to it that they get their places,
 * reads them once, and passes them on to all who watch. Announcements that come meanwhile become one more round; after a
 * gap in listening, or a failure, it looks at all runs, so nothing is missed.
 */
export async function startEventHub({
  listener,
  pool,
  log,
  keepAliveMs = usualKeepAliveMs,
  maxBehind,
}: Parts): Promise<EventHub> {
  const queues = new Map<EventQueue, Wanted>()
  const announced = new Set<bigint>()
  let isAllAnnounced = false
  let isStopped = false
  // Known before anybody joins: who joins during the first look would otherwise be passed all that is kept.
  let position = await readLastPosition(pool)
  let working: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined

  const placeAnnounced = async () => {
    const runIds = isAllAnnounced ? null : [...announced]
    announced.clear()
    isAllAnnounced = false
    const last = await placeRunEvents(pool, runIds)
    // Without anybody who watches there is nothing to pass on: whoever joins later begins here.
    if (queues.size === 0 && last > position) position = last
  }
  const passOn = async () => {
    for (let isMore = queues.size > 0; isMore && queues.size > 0;) {
      const { events } = await readEventsAfter(pool, position)
      for (const event of events) for (const [queue, isWanted] of queues) if (isWanted(event)) queue.push(event)
      position = events.at(-1)?.position ?? position
      isMore = events.length === eventsAtOnce
    }
  }
  const isAsked = () => !isStopped && (isAllAnnounced || announced.size > 0)
  const work = async () => {
    try {
      while (isAsked()) {
        await placeAnnounced()
        await passOn()
      }
    } catch (error) {
      if (isStopped) return
      log.warn({ error: reason(error) }, 'events of runs could not be read; trying again')
      isAllAnnounced = true
      clearTimeout(retry)
      retry = setTimeout(wake, retryMs).unref()
    }
  }
  const wake = () => {
    if (!isStopped) working ??= work().finally(() => (working = undefined))
  }
  const ear = listener.on(
    'freshet_run_events',
    (runId) => {
      if (!/^\d{1,18}$/.test(runId)) return
      announced.add(BigInt(runId))
      wake()
    },
    () => {
      isAllAnnounced = true
      wake()
    },
  )
  return {
    keepAliveMs,
    get isStopped() {
      return isStopped
    },
    join(isWanted) {
      const queue = new EventQueue((left) => void queues.delete(left), maxBehind)
      queues.set(queue, isWanted)
      return queue
    },
    place: () => placeRunEvents(pool, null),
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearTimeout(retry)
      ear[Symbol.dispose]()
      for (const queue of queues.keys()) queue[Symbol.dispose]()
      await working
    },
  }
}

/** Joins the hub until the queue is disposed of or the signal aborts: whoever waits for it is then told that it is over. */
export function joinUntil(signal: AbortSignal, hub: EventHub, isWanted: Wanted): EventQueue {
  const queue = hub.join(isWanted)
  const leave = () => queue[Symbol.dispose]()
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return queue
}
