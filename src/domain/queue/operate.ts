import { z } from 'zod'
import type { Db, Tx } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { DomainError, notFound, refuse } from '../errors.ts'
import { cancelRunOfJob } from '../runs/fail-run.ts'
import { readRepeatedAs } from './failure.ts'
import { pickQueue, readQueueNames } from './queue.ts'

/** Which job: the queue it lies in, and its id. */
export type JobPlace = { queue: string; id: string }

const largestRedrive = 1000

const repeat = 'select freshet.repeat_job($1, $2::uuid)::text as id'
const redriveLetter = 'select freshet.redrive_letter($1, $2::uuid)::text as id'
const stop = 'select freshet.stop_job($1, $2::uuid, $3::jsonb) as "isStopped"'

/**
 * Asks for the work of a job once more: of one that failed or was cancelled, or of a dead letter. That is a new job, with a
 * run of its own. Answers where it lies.
 */
export async function retryJob(db: Db, actor: Actor, { queue, id }: JobPlace): Promise<JobPlace> {
  return db.$transaction(async (tx) => {
    const job = await readState(tx, { queue, id })
    const [row] = await queryRows<{ id: string | null }>(tx, job.isDead ? redriveLetter : repeat, [queue, id])
    const place = { queue: job.sourceName ?? queue, id: row?.id ?? '' }
    if (!row?.id) throw conflict(retryRefusal(await readState(tx, { queue, id }), queue))
    const changes = { queue: { to: place.queue }, repeatedAs: { to: place.id } }
    await audit(tx, actor, { action: 'RETRY_JOB', objectType: 'Job', objectId: id, changes })
    return place
  })
}

/**
 * Ends a job that is not wanted. One that waits never starts; one at work is taken away, its run ends as FAILED
 * CANCELLED_BY_OPERATOR, and its handler can write nothing more. A dead letter is dismissed.
 */
export async function cancelJob(db: Db, actor: Actor, { queue, id }: JobPlace, now: Date): Promise<void> {
  await db.$transaction(
    async (tx) => {
      const before = await readState(tx, { queue, id })
      const output = JSON.stringify({ cancelled: `Cancelled by ${actor.name}.` })
      const [row] = await queryRows<{ isStopped: boolean }>(tx, stop, [queue, id, output])
      if (!row?.isStopped) throw conflict(cancelRefusal(await readState(tx, { queue, id })))
      const hadRun = !before.isDead && (await cancelRunOfJob(tx, id, now))
      const changes = { queue: { to: queue }, state: { from: before.state, to: 'cancelled' }, run: { to: hadRun } }
      await audit(tx, actor, { action: 'CANCEL_JOB', objectType: 'Job', objectId: id, changes })
    },
    // Ending the connection of a run at work is waited for, up to five seconds.
    { timeout: 10_000 },
  )
}

/** Puts up to `limit` dead letters of a queue back as new jobs, oldest first. Answers how many went back. */
export async function redriveQueue(db: Db, actor: Actor, name: string, limit: number): Promise<number> {
  if (limit < 1 || limit > largestRedrive) refuse([{ field: 'limit', message: `must be from 1 to ${largestRedrive}.` }])
  return db.$transaction(async (tx) => {
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
  })
}

type Found = { state: string; output: unknown; sourceName: string | null; isDead: boolean }

const readJob =
  'select state::text, output, source_name as "sourceName" from pgboss.job where name = $1 and id = $2::uuid'

async function readState(tx: Tx, { queue, id }: JobPlace): Promise<Found> {
  const queues = await readQueueNames(tx)
  pickQueue(queues, queue, 'queue')
  if (!z.guid().safeParse(id).success) throw notFound('job', 'id')
  const [job] = await queryRows<Omit<Found, 'isDead'>>(tx, readJob, [queue, id])
  if (!job) throw await notInQueue(tx, id)
  return { ...job, isDead: queues.some(({ deadLetter }) => deadLetter === queue) }
}

/** A letter has another queue than its job, and people copy ids from either: they are told where it lies. */
async function notInQueue(tx: Tx, id: string): Promise<DomainError> {
  const [other] = await queryRows<{ name: string }>(tx, 'select name from pgboss.job where id = $1::uuid limit 1', [id])
  if (!other) return notFound('job', 'id')
  const hint = `It lies in the queue "${other.name}": name that one.`
  return new DomainError('NOT_FOUND', 'There is no such job in this queue.', { field: 'id', hint })
}

type Refusal = { message: string; hint: string }

const conflict = ({ message, hint }: Refusal, field = 'id') => new DomainError('CONFLICT', message, { field, hint })

const dismissed = { message: 'The dead letter was dismissed.', hint: 'Ask for the work again where it is asked for.' }
const beingTold = {
  message: 'The failure of this job is not recorded yet.',
  hint: 'A worker does that within moments; then try again.',
}

function retryRefusal({ state, output, isDead }: Found, queue: string): Refusal {
  const repeatedAs = readRepeatedAs(output)
  if (repeatedAs) return { message: `The job was repeated already, as ${repeatedAs}.`, hint: 'Look at that one.' }
  if (isDead && state === 'cancelled') return dismissed
  if (isDead && state !== 'completed' && state !== 'failed') return beingTold
  if (state === 'completed')
    return { message: 'The job ended well.', hint: 'Ask for the work again where it is asked for.' }
  if (state === 'active') return { message: 'The job is being worked on.', hint: 'Cancel it first, or let it end.' }
  if (state === 'created' || state === 'retry')
    return { message: 'The job waits to be worked on.', hint: 'It starts by itself; `startAfter` says when.' }
  return {
    message: `The queue "${queue}" has such a job already, and takes one at a time.`,
    hint: 'Let that one end, or cancel it first.',
  }
}

function cancelRefusal({ state, output, isDead }: Found): Refusal {
  const repeatedAs = readRepeatedAs(output)
  if (repeatedAs) return { message: `The job was repeated, as ${repeatedAs}.`, hint: 'Cancel that one.' }
  if (isDead && state !== 'cancelled') return beingTold
  const how = { completed: 'ended well', failed: 'failed', cancelled: 'was cancelled' }[state] ?? `is ${state}`
  return { message: `The job ${how} already.`, hint: 'There is nothing left to cancel.' }
}
