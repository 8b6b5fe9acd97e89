import type { Clock, JobResult } from 'pg-boss'
import { isCancelled, isOutage } from '../../db/failure.ts'
import { queryRows } from '../../db/sql.ts'
import type { Pool } from '../../db/pool.ts'
import type { Claim } from './attempt.ts'
import type { Outcome } from './outcome.ts'

const waitsMs = [50, 200, 500, 1000, 2000, 4000, 8000]

/**
 * Writes down how an attempt ended and answers what pg-boss is to do about it. It ends and fails jobs itself; what it has no
 * word for is settled here, and its own word for such a job then finds nothing: each claim has a number of its own.
 */
export async function settle(pool: Pool, clock: Clock, claim: Claim, outcome: Outcome): Promise<JobResult> {
  const { id, name, retryCount } = claim
  if (outcome.kind === 'done') return { id, status: 'completed', output: outcome.output }
  if (outcome.kind === 'failed')
    return { id, status: 'deadletter', output: { ...outcome.failure, attempts: outcome.attempts } }
  if (outcome.kind === 'lost') return { id, status: 'completed' }
  const { text, values } = statementOf(outcome)
  const [row] = await patiently(clock, claim.signal, () =>
    queryRows<{ is_ours: boolean }>(pool, text, [name, id, retryCount, ...values]),
  )
  // A job enqueued when its queue allowed fewer attempts has none left: pg-boss, too, refuses the word of a lost claim.
  if (outcome.kind === 'retried' && !row?.is_ours) return { id, status: 'failed', output: outcome.failure }
  return { id, status: 'completed' }
}

/** How many retries a job may have in all. The first claim of one needs not ask. */
export async function readRetryLimit(
  pool: Pool,
  { name, id, retryCount }: Claim,
  retryDelays: number[],
): Promise<number> {
  if (retryCount === 0) return retryDelays.length
  const text = 'select retry_limit from pgboss.job where name = $1 and id = $2'
  const [row] = await queryRows<{ retry_limit: number }>(pool, text, [name, id])
  return row?.retry_limit ?? retryCount
}

const cancel = 'select freshet.cancel_job($1, $2, $3, $4::jsonb) as is_ours'
const retry = 'select freshet.retry_job($1, $2, $3, make_interval(secs => $4), $5::jsonb) as is_ours'
const snooze = 'select freshet.snooze_job($1, $2, $3, make_interval(secs => $4), $5::jsonb) as is_ours'

type PutBack = Exclude<Outcome, { kind: 'done' | 'failed' | 'lost' }>

function statementOf(outcome: PutBack): { text: string; values: unknown[] } {
  if (outcome.kind === 'cancelled') return { text: cancel, values: [JSON.stringify({ cancelled: outcome.reason })] }
  if (outcome.kind === 'retried') return { text: retry, values: [outcome.waitSeconds, JSON.stringify(outcome.failure)] }
  if (outcome.kind === 'snoozed')
    return { text: snooze, values: [outcome.seconds, JSON.stringify({ snoozed: outcome.reason })] }
  return { text: snooze, values: [0, null] } // handed back as it came
}

/**
 * Tries again while the database does not answer: giving up would cost an attempt that the job did not use. Ends when the job
 * was taken away meanwhile.
 */
async function patiently<Row>(clock: Clock, signal: AbortSignal, write: () => Promise<Row[]>): Promise<Row[]> {
  for (const waitMs of waitsMs) {
    try {
      return await write()
    } catch (error) {
      if (!isOutage(error) && !isCancelled(error)) throw error
    }
    if (signal.aborted) return []
    await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs))
  }
  return write()
}
