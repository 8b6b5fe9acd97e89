import { readQuery } from '../../db/query.ts'
import { connectRun, takeRunLock } from '../../db/run-lock.ts'
import { queryRows, type Connection, type InTx } from '../../db/sql.ts'
import { tryAgain, type RunFailure } from './failure.ts'
import { findRunOfJob } from './find-run.ts'
import type { RunServices } from './run.ts'
import { tellEnds } from './run-log.ts'

const statement = readQuery('fail_run')

/** Ends a run badly, for the attempt given or for whichever is there. Answers whether it had not ended before. */
export async function failRun(
  sql: Connection,
  { runId, attempt = null }: { runId: string; attempt?: number | null },
  { code, message, hint, isCounted = true }: RunFailure,
  { now, log }: Pick<RunServices, 'now' | 'log'>,
): Promise<boolean> {
  const values = [runId, attempt, code, message, hint ?? tryAgain, now(), isCounted]
  const [answer] = await queryRows<{ isEnded: boolean }>(sql, statement, values)
  if (!answer?.isEnded) return false
  await tellEnds(sql, [runId], log)
  return true
}

/**
 * Ends the run of a job that has no attempt left, under the run's lock; what is left of its last attempt is ended first. Does
 * nothing where there is no run, or it has ended. Answers whether it ended one.
 */
export async function failRunOfJob(jobId: string, failure: RunFailure, services: RunServices): Promise<boolean> {
  const run = await findRunOfJob(services.pool, jobId)
  if (run?.status !== 'RUNNING') return false
  await using connection = await connectRun(services.directUrl, jobId, services.log)
  // If another run holds the lock by now, this one's attempts have lost it, and with it all they could write with.
  if (run.lockClass !== null && run.lockId !== null)
    await takeRunLock(connection, { lockClass: run.lockClass, lockId: run.lockId })
  return await failRun(connection.client, { runId: run.runId }, failure, services)
}

/**
 * Ends the run of a job that an operator cancelled, not counted, in the caller's transaction; the attempt at work on it loses
 * its connection. Answers its id if there was one to end: once the transaction has committed, the caller tells of it.
 */
export async function cancelRunOfJob(tx: InTx, jobId: string, now: Date): Promise<string | undefined> {
  const text = 'select freshet.cancel_run_of_job($1::uuid, $2::timestamptz)::text as "runId"'
  const [answer] = await queryRows<{ runId: string | null }>(tx, text, [jobId, now])
  return answer?.runId ?? undefined
}
