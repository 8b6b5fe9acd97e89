import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'
import { readFailure, readNote, readRepeatedAs, type JobFailure } from './failure.ts'
import { pickQueue, readQueueNames } from './queue.ts'
import { showPayload } from './show-payload.ts'

/** How a job stands, in an operator's words; pg-boss keeps fewer states. */
export const jobStates = [
  'WAITING',
  'DELAYED',
  'ACTIVE',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'REPEATED',
  'DEAD',
] as const
export type JobState = (typeof jobStates)[number]

/** A job as an operator sees it. */
export type QueuedJob = {
  queue: string
  id: string
  state: JobState
  /** Made fit to be shown when it is asked for. */
  readonly payload: unknown
  attempt: number
  createdAt: Date
  startAfter: Date
  startedAt: Date | null
  endedAt: Date | null
  failure: JobFailure | undefined
  note: string | undefined
  repeatedAs: string | undefined
  /** The job that a run belongs to: a dead letter stands for the job that failed. */
  runJobId: string
  /** Its place in the list, to the microsecond. */
  place: bigint
}

type Row = {
  queue: string
  id: string
  payload: unknown
  state: string
  created_on: Date
  start_after: Date
  started_on: Date | null
  completed_on: Date | null
  output: unknown
  source_id: string | null
  source_output: unknown
  place: string
  attempt: number
  is_letter: boolean
}

export type JobFilter = {
  queue?: string | null | undefined
  state?: JobState | null | undefined
}

/** Which part of a list: what lies behind a place (and id), and how much of it. */
type Part = { behind?: readonly [place: bigint, id: string] | undefined; take: number | null }

const all = ['created', 'retry', 'active', 'completed', 'cancelled', 'failed']
/** What each state is in pg-boss's words: its states, whether the job was repeated, whether it could start now. */
const meaning: Record<JobState, { states: string[]; repeated?: boolean; due?: boolean }> = {
  WAITING: { states: ['created', 'retry'], due: true },
  DELAYED: { states: ['created', 'retry'], due: false },
  ACTIVE: { states: ['active'] },
  COMPLETED: { states: ['completed'] },
  FAILED: { states: ['failed'] },
  CANCELLED: { states: ['cancelled'], repeated: false },
  REPEATED: { states: ['cancelled'], repeated: true },
  DEAD: { states: ['created', 'retry', 'active', 'completed', 'failed'] },
}

const text = readQuery('jobs')

/** Jobs that the filter lets through, newest first. */
export async function readJobs(pool: Pool, filter: JobFilter, now: Date, part: Part): Promise<QueuedJob[]> {
  const rows = await queryRows<Row>(pool, text, await valuesOf(pool, filter, now, part))
  return rows.map((row) => toJob(row, now))
}

/** How many there are. */
export async function countJobs(pool: Pool, filter: JobFilter, now: Date): Promise<number> {
  const values = await valuesOf(pool, filter, now, { take: null })
  const [row] = await queryRows<{ n: number }>(pool, `select count(*)::int as n from (${text}) job`, values)
  return row?.n ?? 0
}

/** One job; nothing if there is none. */
export async function findJob(pool: Pool, queue: string, id: string, now: Date): Promise<QueuedJob | undefined> {
  const [row] = await queryRows<Row>(pool, text, [[queue], all, null, null, now, id, null, null, 1])
  return row && toJob(row, now)
}

async function valuesOf(pool: Pool, { queue, state }: JobFilter, now: Date, { behind, take }: Part) {
  const { states, repeated, due } = state ? meaning[state] : { states: all }
  const names = await namesOf(pool, queue, state)
  return [names, states, repeated ?? null, due ?? null, now, null, behind?.[0] ?? null, behind?.[1] ?? null, take]
}

/** Dead letters lie in queues of their own: they are listed when asked for, under either name, and mixed with nothing else. */
async function namesOf(pool: Pool, queue: string | null | undefined, state: JobState | null | undefined) {
  const queues = await readQueueNames(pool)
  const dead = new Set(queues.map(({ deadLetter }) => deadLetter))
  const asked = queue ? [pickQueue(queues, queue, 'filter.queue')] : queues
  if (state === 'DEAD') return asked.flatMap(({ name, deadLetter }) => (dead.has(name) ? name : (deadLetter ?? [])))
  return asked.map(({ name }) => name).filter((name) => queue || !dead.has(name))
}

function toJob(row: Row, now: Date): QueuedJob {
  const { queue, id, output } = row
  const state = stateOf(row, now)
  return {
    queue,
    id,
    state,
    get payload() {
      return showPayload(row.payload)
    },
    attempt: row.attempt,
    createdAt: row.created_on,
    startAfter: row.start_after,
    startedAt: row.started_on,
    endedAt: row.completed_on,
    failure: row.is_letter ? readFailure(row.source_output) : state === 'COMPLETED' ? undefined : readFailure(output),
    note: state === 'COMPLETED' ? undefined : readNote(output),
    repeatedAs: readRepeatedAs(output),
    runJobId: row.source_id ?? id,
    place: BigInt(row.place),
  }
}

function stateOf({ state, output, start_after, is_letter }: Row, now: Date): JobState {
  if (state === 'cancelled') return readRepeatedAs(output) ? 'REPEATED' : 'CANCELLED'
  if (is_letter) return 'DEAD'
  if (state === 'created' || state === 'retry') return start_after <= now ? 'WAITING' : 'DELAYED'
  return state === 'active' ? 'ACTIVE' : state === 'failed' ? 'FAILED' : 'COMPLETED'
}
