import type { RunContext } from '../../domain/runs/context.ts'
import { executeRun, type RunOutcome } from '../../domain/runs/execute-run.ts'
import type { RunOfJob } from '../../domain/runs/run.ts'
import { settleRunJob } from '../../domain/runs/settle-run-job.ts'
import type { JobContext } from '../kit.ts'

/**
 * Works a job that is a run: lock, start, work, end. A job whose lock another run holds is cancelled if it has no run yet, and
 * put back for 10 s if it has one. What is answered is the job's output.
 */
export async function workRun(
  { jobId, isLastAttempt, signal, stopping, log, services: { pool, directUrl, now } }: JobContext<unknown>,
  run: RunOfJob,
  work: (run: RunContext) => Promise<unknown>,
): Promise<{ run: RunOutcome }> {
  const job = { pool, directUrl, now, log, isLastAttempt, signal, stopping }
  return settleRunJob(await executeRun({ jobId, ...run }, job, work))
}
