import type { Run, RunEventKind, RunKind, RunTrigger } from '../../db/generated/client/client.ts'
import type { Pool } from '../../db/pool.ts'
import type { Db } from '../../db/prisma.ts'
import { DomainError, notFound, badInput } from '../errors.ts'
import type { KeepAlive, StreamStart } from '../stream.ts'
import { joinUntil, type EventHub } from './event-hub.ts'
import { eventsAtOnce, isEnd, readEventsAfter, readEventsOfRun, type PlacedEvent, type RunEvent } from './event.ts'

/** How a run is at the moment; `number` is that of its last event. */
export type RunState = { readonly type: 'RunState'; readonly run: Run; readonly number: number }

export type EventFilter = {
  runKinds?: readonly RunKind[] | undefined
  kinds?: readonly RunEventKind[] | undefined
  trigger?: RunTrigger | undefined
  sourceId?: bigint | undefined
}

/** The name of the stream of all runs in its cursors. */
export const allRuns = 'runEvents'

type Watch = { hub: EventHub; pool: Pool; now: () => Date; signal: AbortSignal }

const lives = (now: () => Date): KeepAlive => ({ type: 'KeepAlive', at: now() })

/** A run's present state, then every event behind `after` (without it: behind that state), and then the end. */
export async function* watchRun(
  { hub, pool, now, signal, db }: Watch & { db: Db },
  where: { id: bigint; kind?: RunKind | { in: RunKind[] } },
  after: number | undefined,
): AsyncGenerator<RunState | RunEvent | KeepAlive, void, undefined> {
  const { id: runId } = where
  let seen = after
  let isFirst = true
  while (!signal.aborted && !hub.isStopped) {
    // Joined before the state is read: what that does not know yet will come this way.
    using queue = joinUntil(signal, hub, (event) => event.runId === runId)
    const run = await db.run.findUnique({ where })
    if (!run) throw notFound('run', 'runId')
    if (seen !== undefined && (seen < 0 || seen > run.eventCount))
      throw badInput([{ field: 'after', message: `the run has no event ${seen}; its last one is ${run.eventCount}.` }])
    if (isFirst) yield { type: 'RunState', run, number: run.eventCount }
    isFirst = false
    seen ??= run.eventCount
    for await (const event of replay(pool, runId, seen, run.eventCount)) {
      yield event
      seen = event.number
    }
    if (run.status !== 'RUNNING') return
    for (;;) {
      const taken = await queue.take(hub.keepAliveMs)
      if (taken === 'over') break // it was left behind: the database has the rest
      if (taken === 'quiet') yield lives(now)
      else if (taken.number > seen) {
        yield taken
        seen = taken.number
        if (isEnd(taken)) return
      }
    }
  }
}

/** Events of a run that are stored already. They have no gaps, so a missing one was pruned. */
async function* replay(pool: Pool, runId: bigint, after: number, upTo: number) {
  for (let seen = after; seen < upTo;) {
    const events = await readEventsOfRun(pool, runId, seen, upTo)
    if (events[0]?.number !== seen + 1)
      throw expired(`The events of this run behind number ${seen} are no longer kept.`)
    for (const event of events) yield event
    seen = events.at(-1)?.number ?? upTo
  }
}

/** Every event of every run behind a place in the stream, or from now on. */
export async function* watchRuns(
  { hub, pool, now, signal }: Watch,
  filter: EventFilter,
  after: bigint | undefined,
): AsyncGenerator<StreamStart | RunEvent | KeepAlive, void, undefined> {
  let position = after ?? (await hub.place())
  let isFirst = true
  const isWanted = (event: PlacedEvent) => event.position > position && passes(filter, event)
  // Behind: page by page at the subscriber's pace, without a queue that would fill up meanwhile.
  async function* catchUp() {
    for (let isMore = true; isMore && !signal.aborted;) {
      const part = await readEventsAfter(pool, position)
      if (position < part.prunedPosition) throw expired('The events behind this cursor are no longer kept.')
      if (position > part.lastPosition) throw expired('This database never gave that cursor.')
      if (isFirst) yield { type: 'StreamStart' as const, stream: allRuns, position }
      isFirst = false
      for (const event of part.events) {
        if (passes(filter, event)) yield event
        position = event.position
      }
      isMore = part.events.length === eventsAtOnce
    }
  }
  while (!signal.aborted && !hub.isStopped) {
    yield* catchUp()
    using queue = joinUntil(signal, hub, (event) => passes(filter, event))
    yield* catchUp() // what came between the last page and joining
    for (;;) {
      const taken = await queue.take(hub.keepAliveMs)
      if (taken === 'over') break
      if (taken === 'quiet') yield lives(now)
      else if (isWanted(taken)) {
        yield taken
        position = taken.position
      }
    }
  }
}

function passes({ runKinds, kinds, trigger, sourceId }: EventFilter, event: RunEvent): boolean {
  return (
    (runKinds?.includes(event.runKind) ?? true) &&
    (kinds?.includes(event.kind) ?? true) &&
    (trigger === undefined || trigger === event.trigger) &&
    (sourceId === undefined || sourceId === event.sourceId)
  )
}

const expired = (message: string) => new DomainError('CURSOR_EXPIRED', message, { field: 'after' })
