import type { RunEventKind, RunKind, RunTrigger } from '../../db/generated/client/client.ts'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryWithin } from '../../db/sql.ts'

/** One event of a run, as it goes to everybody who watches: it is shared, so nobody changes it. */
export type RunEvent = {
  readonly type: 'RunEvent'
  readonly runId: bigint
  readonly runKind: RunKind
  readonly trigger: RunTrigger
  readonly sourceId: bigint | null
  /** Its place among all runs' events; null until it was given one, shortly after the commit. */
  readonly position: bigint | null
  readonly number: number
  readonly attempt: number
  readonly at: Date
  readonly kind: RunEventKind
  readonly stage: string | null
  readonly code: string | null
  readonly message: string | null
  readonly counters: unknown
  /** How many earlier PROGRESS events this one stands for, because the subscriber was far behind. */
  readonly mergedCount: number
}

/** Whether it is the last one of its run. */
export const isEnd = ({ kind }: RunEvent): boolean => kind === 'SUCCEEDED' || kind === 'FAILED'

/** An event that has its place in the stream of all runs. */
export type PlacedEvent = RunEvent & { readonly position: bigint }

/** An event as the database hands it over: pg leaves 64-bit numbers as text. */
export type EventRow = {
  run_id: string
  run_kind: RunKind
  trigger: RunTrigger
  source_id: string | null
  position: string | null
  number: number
  attempt: number
  at: Date
  kind: RunEventKind
  stage: string | null
  code: string | null
  message: string | null
  counters: unknown
}

const afterPosition = readQuery('run_events_after')
const ofRun = readQuery('run_events_of_run')

const answerMs = 10_000
export const eventsAtOnce = 1_000

/** Gives committed events their places: those of the runs named, or of all. Answers the last place given. */
export async function placeRunEvents(pool: Pool, runIds: bigint[] | null): Promise<bigint> {
  for (;;) {
    const [row] = await queryWithin<{ last_position: string; placed: number }>(pool, answerMs, {
      name: 'place_run_events',
      text: 'select last_position, placed from freshet.place_run_events($1, $2)',
      values: [runIds, eventsAtOnce],
    })
    const { last_position: last = '0', placed = 0 } = row ?? {}
    if (placed < eventsAtOnce) return BigInt(last)
  }
}

/** The last place that was given. */
export async function readLastPosition(pool: Pool): Promise<bigint> {
  const text = 'select last_position from freshet.event_stream'
  const statement = { name: 'last_position', text, values: [] }
  const [row] = await queryWithin<{ last_position: string }>(pool, answerMs, statement)
  return BigInt(row?.last_position ?? 0)
}

type StreamPart = { events: PlacedEvent[]; prunedPosition: bigint; lastPosition: bigint }
type StreamRow = { pruned_position: string; last_position: string } & ({ run_id: null } | EventRow)

/** The next events behind a place in the stream of all runs, and what the stream keeps. */
export async function readEventsAfter(pool: Pool, position: bigint): Promise<StreamPart> {
  const values = [position, eventsAtOnce]
  const rows = await queryWithin<StreamRow>(pool, answerMs, { name: 'run_events_after', text: afterPosition, values })
  return {
    events: rows.flatMap((row) => (row.run_id === null ? [] : [toEvent(row) as PlacedEvent])),
    prunedPosition: BigInt(rows[0]?.pruned_position ?? 0),
    lastPosition: BigInt(rows[0]?.last_position ?? 0),
  }
}

/** The events of one run from behind a number up to another. */
export async function readEventsOfRun(pool: Pool, runId: bigint, after: number, upTo: number): Promise<RunEvent[]> {
  const values = [runId, after, upTo, eventsAtOnce]
  const rows = await queryWithin<EventRow>(pool, answerMs, { name: 'run_events_of_run', text: ofRun, values })
  return rows.map(toEvent)
}

/** An event in the form that everybody else uses. */
export function toEvent({ run_id, run_kind, source_id, position, ...row }: EventRow): RunEvent {
  return {
    type: 'RunEvent',
    runId: BigInt(run_id),
    runKind: run_kind,
    trigger: row.trigger,
    sourceId: source_id === null ? null : BigInt(source_id),
    position: position === null ? null : BigInt(position),
    number: row.number,
    attempt: row.attempt,
    at: row.at,
    kind: row.kind,
    stage: row.stage,
    code: row.code,
    message: row.message,
    counters: row.counters,
    mergedCount: 0,
  }
}
