import { queryRows } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readAttempts, readFailure, type JobFailure } from '../../domain/queue/failure.ts'
import { failRunOfJob } from '../../domain/runs/fail-run.ts'
import { deadQueueOf, type Job, type JobOptions } from '../kit.ts'
import type { Claim, Handler } from './attempt.ts'

const minute = 60
const hour = 60 * minute

/** Told again and again for about three days: whoever waits for it must not be forgotten. */
export const deadLetterOptions: JobOptions = {
  retryDelays: [5, 15, minute, 5 * minute, ...Array.from({ length: 72 }, () => hour)],
  expireInSeconds: minute,
  keepSeconds: 14 * 24 * hour,
}

const silent: JobFailure = { code: 'UNEXPECTED_ERROR', message: 'The job failed without a reason.', hint: null }
const complete = 'select freshet.complete_job($1, $2, $3, $4::jsonb) as is_told'
const dismiss = 'select freshet.cancel_job($1, $2, $3, $4::jsonb) as is_told'

/**
 * The queue of what no attempt could save. pg-boss puts the job there together with its end, also when it was the supervisor
 * that noticed a dead worker. The run that the job still has is failed; then one transaction tells `onFinalFailure` and marks this
 * as done, or dismisses it.
 */
export function deadLetterHandler(job: Job): Handler {
  const { retryDelays, dismissesLetters = false } = job.options
  return {
    name: deadQueueOf(job.name),
    options: deadLetterOptions,
    isDeadLetter: true,
    // Its lines are about the job that failed, so that they are found together with that one's own.
    names: (claim) => ({ queue: job.name, jobId: failedJobOf(claim), letterId: claim.id }),
    async work({ log, services }, claim) {
      const jobId = failedJobOf(claim)
      const attempts = readAttempts(claim.sourceOutput) ?? retryDelays.length + 1
      const failure = readFailure(claim.sourceOutput) ?? silent
      const payload = job.payload.safeParse(claim.data)
      // On a connection of its own, under the run's lock; a second time it finds the run ended.
      await failRunOfJob(jobId, failure, { ...services, log })
      log[dismissesLetters ? 'warn' : 'error'](failure, 'a job failed for good')
      await inTransaction(services.pool, async (tx) => {
        await job.onFinalFailure?.({
          payload: payload.success ? payload.data : undefined,
          jobId,
          attempts,
          error: failure,
          tx,
          log,
          services,
        })
        const values = [claim.name, claim.id, claim.retryCount, JSON.stringify({ told: failure })]
        const [row] = await queryRows<{ is_told: boolean }>(tx, dismissesLetters ? dismiss : complete, values)
        if (!row?.is_told) throw new Error('The dead letter was taken away while it was handled.')
      })
    },
  }
}

const failedJobOf = ({ sourceId, id }: Claim): string => sourceId ?? id
