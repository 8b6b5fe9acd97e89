import { errorCodes, type ErrorCode } from '../error-codes.ts'
import { badInput, DomainError } from '../errors.ts'
import type { JobPlace } from '../queue/operate.ts'
import { findJob } from '../queue/job.ts'
import { awaitRun, type JobProgress } from '../runs/await-run.ts'
import type { FeedParts } from './parts.ts'

/** The longest that a mutation waits for a worker, and how long it does if nothing else is said. */
export const longestWaitSeconds = 20

/** Refuses to wait longer than a request may last. */
export function checkWait(seconds: number): void {
  if (seconds >= 0 && seconds <= longestWaitSeconds) return
  throw badInput([{ field: 'waitSeconds', message: `must be from 0 to ${longestWaitSeconds}, not ${seconds}.` }])
}

/** Where the work stands that a mutation gave to a worker. */
export type Outcome = { job: JobPlace; isDone: boolean; runId: bigint | undefined }

/** Waits for a job; what it was refused with under the feed's lock is told as if the mutation itself had been. */
export async function awaitOutcome(
  { eventHub: hub, pool, now }: FeedParts,
  job: JobPlace,
  waitSeconds: number,
  field: string,
): Promise<Outcome> {
  const progress = await awaitRun({ hub, pool, now }, job, waitSeconds * 1000)
  if (progress.run === undefined && progress.jobState === 'FAILED') {
    const failure = (await findJob(pool, job.queue, job.id, now()))?.failure
    if (failure && isErrorCode(failure.code))
      throw new DomainError(failure.code, failure.message, { field, ...(failure.hint ? { hint: failure.hint } : {}) })
  }
  return { job, isDone: isOver(progress), runId: progress.run?.id }
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code)

const isOver = ({ jobState, run }: JobProgress) =>
  run ? run.status !== 'RUNNING' : jobState === 'COMPLETED' || jobState === undefined
