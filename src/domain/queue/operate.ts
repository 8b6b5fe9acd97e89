import { z } from 'zod'
import type { Db, Tx } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit, type Change } from '../access/audit.ts'
import { DomainError, notFound, refuse } from '../errors.ts'
import { cancelRunOfJob } from '../runs/fail-run.ts'
import type { RunServices } from '../runs/run.ts'
import { tellEnds } from '../runs/run-log.ts'
import { pickQueue, readQueueNames } from './queue.ts'
import { cancelRefusal, conflict, gone, retryRefusal, type Found, type Refusal } from './refusal.ts'

/** Which job: the queue it lies in, and its id. */
export type JobPlace = { queue: string; id: string }

const largestRedrive = 1000

const repeat = 'select freshet.repeat_job($1, $2::uuid)::text as id'
const redriveLetter = 'select freshet.redrive_letter($1, $2::uuid)::text as id'
const stop = 'select freshet.stop_job($1, $2::uuid, $3::jsonb) as "isStopped"'
const remove = 'select freshet.delete_job($1, $2::uuid) as state'

/**
 * Asks for the work of a job once more: of one that failed or was cancelled, or of a dead letter. That is a new job, with a
 * run of its own. Answers where it lies.
 */
export async function retryJob(db: Db, actor: Actor, { queue, id }: JobPlace): Promise<JobPlace> {
  return db.$transaction(async (tx) => {
    const job = await readState(tx, { queue, id })
    const [row] = await queryRows<{ id: string | null }>(tx, job.isDead ? redriveLetter : repeat, [queue, id])
    const place = { queue: job.sourceName ?? queue, id: row?.id ?? '' }
    if (!row?.id) throw await refusal(tx, { queue, id }, (found) => retryRefusal(found, queue))
    const changes = { queue: { to: place.queue }, repeatedAs: { to: place.id } }
    await audit(tx, actor, { action: 'RETRY_JOB', objectType: 'Job', objectId: id, changes })
    return place
  })
}

/**
 * Ends a job that is not wanted. One that waits never starts; one at work is taken away, its run ends as FAILED
 * CANCELLED_BY_OPERATOR, and its handler can write nothing more. A dead letter is dismissed.
 */
export const cancelJob = (db: Db, actor: Actor, place: JobPlace, occasion: Occasion): Promise<void> =>
  endJob(db, actor, place, occasion, {
    action: 'CANCEL_JOB',
    state: 'cancelled',
    async end(tx) {
      const before = await readState(tx, place)
      const output = JSON.stringify({ cancelled: `Cancelled by ${actor.name}.` })
      const [row] = await queryRows<{ isStopped: boolean }>(tx, stop, [place.queue, place.id, output])
      if (!row?.isStopped) throw await refusal(tx, place, cancelRefusal)
      return before.state
    },
  })

/**
 * Deletes a job, in whatever state it is, as pg-boss's dashboard can; there would be no job left to end its run. A dead letter
 * that was not told yet stays: nobody else would end the run of the job that failed, or tell of it.
 */
export const deleteJob = (db: Db, actor: Actor, place: JobPlace, occasion: Occasion): Promise<void> =>
  endJob(db, actor, place, occasion, {
    action: 'DELETE_JOB',
    state: 'deleted',
    changes: { dashboard: { to: true } },
    async end(tx) {
      await readState(tx, place)
      const [job] = await queryRows<{ state: string | null }>(tx, remove, [place.queue, place.id])
      if (!job?.state) throw await refusal(tx, place, cancelRefusal)
      return job.state
    },
  })

/** When it happens, and where it is told. */
type Occasion = Pick<RunServices, 'now' | 'log'>

type Ending = {
  action: 'CANCEL_JOB' | 'DELETE_JOB'
  state: string
  changes?: Record<string, Change>
  /** Ends the job and answers the state that it was in. */
  end: (tx: Tx) => Promise<string>
}

/** The end of a job, that of its run, and their record are one. */
async function endJob(
  db: Db,
  actor: Actor,
  { queue, id }: JobPlace,
  { now, log }: Occasion,
  ending: Ending,
): Promise<void> {
  const { action, state, changes: more = {}, end } = ending
  const runId = await db.$transaction(
    async (tx) => {
      const from = await end(tx)
      const runId = await cancelRunOfJob(tx, id, now())
      const changes = { queue: { to: queue }, ...more, state: { from, to: state }, run: { to: runId !== undefined } }
      await audit(tx, actor, { action, objectType: 'Job', objectId: id, changes })
      return runId
    },
    // Ending the connection of a run at work is waited for, up to five seconds.
    { timeout: 10_000 },
  )
  if (runId) await tellEnds(db, [runId], log)
}

/** Records that somebody is about to send a job through pg-boss's dashboard, which knows nothing of our audit log. */
export async function recordSentJob(db: Db, actor: Actor, queue: string): Promise<void> {
  const changes = { queue: { to: queue }, dashboard: { to: true } }
  const record = { action: 'SEND_JOB', objectType: 'Queue', objectId: queue, changes } as const
  await db.$transaction(async (tx) => {
    pickQueue(await readQueueNames(tx), queue, 'queue')
    await audit(tx, actor, record)
  })
}

/** Puts up to `limit` dead letters of a queue back as new jobs, oldest first. Answers how many went back. */
export async function redriveQueue(db: Db, actor: Actor, name: string, limit: number): Promise<number> {
  if (limit < 1 || limit > largestRedrive) refuse([{ field: 'limit', message: `must be from 1 to ${largestRedrive}.` }])
  return db.$transaction(
    async (tx) => {
      const { deadLetter } = pickQueue(await readQueueNames(tx), name, 'name')
      if (deadLetter === null)
        throw conflict(
          { message: `No dead letters belong to "${name}".`, hint: 'Name the queue that they came from.' },
          'name',
        )
      const statement = 'select freshet.redrive_queue($1, $2::integer) as moved'
      const [row] = await queryRows<{ moved: number }>(tx, statement, [name, limit])
      const moved = row?.moved ?? 0
      const changes = { limit: { to: limit }, moved: { to: moved } }
      await audit(tx, actor, { action: 'REDRIVE_QUEUE', objectType: 'Queue', objectId: name, changes })
      return moved
      // A thousand letters may take longer than Prisma's 5 s right after they came, before Postgres has counted them.
    },
    { timeout: 25_000 },
  )
}

type FoundInQueue = Found & { sourceName: string | null }

const readJob = `select state::text, output, source_name as "sourceName", freshet.is_dead_queue(name) as "isDead"
  from pgboss.job where name = $1 and id = $2::uuid`

async function readState(tx: Tx, { queue, id }: JobPlace): Promise<FoundInQueue> {
  pickQueue(await readQueueNames(tx), queue, 'queue')
  if (!z.guid().safeParse(id).success) throw notFound('job', 'id')
  const [job] = await queryRows<FoundInQueue>(tx, readJob, [queue, id])
  if (!job) throw await notInQueue(tx, id)
  return job
}

/** Why a job that was there when it was asked for is not as it should be. Somebody else's wish may have come first. */
async function refusal(tx: Tx, { queue, id }: JobPlace, why: (found: Found) => Refusal): Promise<DomainError> {
  const [job] = await queryRows<FoundInQueue>(tx, readJob, [queue, id])
  return conflict(job ? why(job) : gone)
}

/** A letter has another queue than its job, and people copy ids from either: they are told where it lies. */
async function notInQueue(tx: Tx, id: string): Promise<DomainError> {
  const [other] = await queryRows<{ name: string }>(tx, 'select name from pgboss.job where id = $1::uuid limit 1', [id])
  if (!other) return notFound('job', 'id')
  const hint = `It lies in the queue "${other.name}": name that one.`
  return new DomainError('NOT_FOUND', 'There is no such job in this queue.', { field: 'id', hint })
}
