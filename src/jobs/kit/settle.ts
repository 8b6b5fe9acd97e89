import type { Clock, JobResult } from 'pg-boss'
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
  if (outcome.kind !== 'lost') {
    const { text, values } = statementOf(claim, outcome)
    await patiently(clock, claim.signal, () => queryRows(pool, text, [name, id, retryCount, ...values]))
  }
  return { id, status: 'completed' }
}

const cancel = 'select freshet.cancel_job($1, $2, $3, $4::jsonb)'
const retry = 'select freshet.retry_job($1, $2, $3, make_interval(secs => $4), $5::jsonb)'
const snooze = 'select freshet.snooze_job($1, $2, $3, make_interval(secs => $4), $5::jsonb)'

type PutBack = Exclude<Outcome, { kind: 'done' | 'failed' | 'lost' }>

function statementOf({ output }: Claim, outcome: PutBack): { text: string; values: unknown[] } {
  if (outcome.kind === 'cancelled') return { text: cancel, values: [JSON.stringify({ cancelled: outcome.reason })] }
  if (outcome.kind === 'retried') return { text: retry, values: [outcome.waitSeconds, JSON.stringify(outcome.failure)] }
  if (outcome.kind === 'snoozed')
    return { text: snooze, values: [outcome.seconds, JSON.stringify({ snoozed: outcome.reason })] }
  return { text: snooze, values: [0, output ? JSON.stringify(output) : null] } // handed back as it came
}

/**
 * Tries again while the database does not answer: giving up would cost an attempt that the job did not use. Ends when the job
 * was taken away meanwhile.
 */
async function patiently(clock: Clock, signal: AbortSignal, write: () => Promise<unknown>): Promise<void> {
  for (const waitMs of waitsMs) {
    try {
      await write()
      return
    } catch (error) {
      if (!isOutage(error)) throw error
    }
    if (signal.aborted) return
    await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs))
  }
  await write()
}

/** Whether the statement may work later as it is: no connection (no SQLSTATE, 08), no resources (53), shut down (57). */
function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^(08|53|57)/.test(code)
}
