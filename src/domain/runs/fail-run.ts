import type { RunStatus } from '../../db/generated/client/enums.ts'
import { readQuery } from '../../db/query.ts'
import { connectRun, takeRunLock } from '../../db/run-lock.ts'
import { queryRows, type InTx } from '../../db/sql.ts'
import { tryAgain, type RunFailure } from './failure.ts'
import type { RunServices } from './run.ts'

type Found = { id: string; status: RunStatus; lockClass: number | null; lockId: number | null }

const findRun =
  'select id::text, status, lock_class as "lockClass", lock_id as "lockId" from freshet.runs where job_id = $1'

const statement = readQuery('fail_run')

/** Ends a run badly, for the attempt given or for whichever is there. Answers whether it had not ended before. */
export async function failRun(
  sql: InTx,
  { runId, attempt = null }: { runId: string; attempt?: number | null },
  { code, message, hint, isCounted = true }: RunFailure,
  now: Date,
): Promise<boolean> {
  const values = [runId, attempt, code, message, hint ?? tryAgain, now, isCounted]
  const [answer] = await queryRows<{ isEnded: boolean }>(sql, statement, values)
  return answer?.isEnded ?? false
}

/**
 * Ends the run of a job that has no attempt left, under the run's lock; what is left of its last attempt is ended first. Does
 * nothing where there is no run, or it has ended. Answers whether it ended one.
 */
export async function failRunOfJob(jobId: string, failure: RunFailure, services: RunServices): Promise<boolean> {
  const [run] = await queryRows<Found>(services.pool, findRun, [jobId])
  if (run?.status !== 'RUNNING') return false
  await using connection = await connectRun(services.directUrl, jobId, services.log)
  // If another run holds the lock by now, this one's attempts have lost it, and with it all they could write with.
  if (run.lockClass !== null && run.lockId !== null)
    await takeRunLock(connection, { lockClass: run.lockClass, lockId: run.lockId })
  return failRun(connection.client, { runId: run.id }, failure, services.now())
}

/**
 * Ends the run of a job that an operator cancelled, not counted, in the caller's transaction; the attempt at work on it loses
 * its connection. Answers whether there was one to end.
 */
export async function cancelRunOfJob(tx: InTx, jobId: string, now: Date): Promise<boolean> {
  const statement = 'select freshet.cancel_run_of_job($1::uuid, $2::timestamptz) as "isEnded"'
  const [answer] = await queryRows<{ isEnded: boolean }>(tx, statement, [jobId, now])
  return answer?.isEnded ?? false
}
