import type { RunStatus } from '../../db/generated/client/enums.ts'
import { connectRun, takeRunLock } from '../../db/run-lock.ts'
import { queryRows, type InTx } from '../../db/sql.ts'
import { tryAgain, type RunFailure } from './failure.ts'
import type { RunServices } from './run.ts'

type Found = { id: string; status: RunStatus; lockClass: number | null; lockId: number | null }

const findRun =
  'select id::text, status, lock_class as "lockClass", lock_id as "lockId" from freshet.runs where job_id = $1'

/**
 * Ends the run of a job that has no attempt left, under the run's lock; what is left of its last attempt is ended first. Does
 * nothing where there is no run, or it has ended. Answers whether it ended one.
 */
export async function failRunOfJob(jobId: string, failure: RunFailure, services: RunServices): Promise<boolean> {
  await using connection = await connectRun(services.directUrl, jobId, services.log)
  const [run] = await queryRows<Found>(connection.client, findRun, [jobId])
  if (run?.status !== 'RUNNING') return false
  // If another run holds the lock by now, this one's attempts have lost it, and with it all they could write with.
  if (run.lockClass !== null && run.lockId !== null)
    await takeRunLock(connection, { lockClass: run.lockClass, lockId: run.lockId })
  const { code, message, hint, isCounted = true } = failure
  const values = [run.id, code, message, hint ?? tryAgain, services.now(), isCounted]
  const statement = 'select freshet.fail_run($1, null, $2, $3, $4, $5, $6) as "isEnded"'
  const [answer] = await queryRows<{ isEnded: boolean }>(connection.client, statement, values)
  return answer?.isEnded ?? false
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
