import { failureCodes } from '../failure-codes.ts'
import { failureOf } from '../queue/failure.ts'
import { CancelJob } from '../queue/job-error.ts'

/** How a run ends badly: what happened, and what to do about it. One that is not counted says nothing about its source. */
export type RunFailure = { code: string; message: string; hint?: string | null | undefined; isCounted?: boolean }

/** What to do where the failure itself does not say. */
export const tryAgain = 'See the log of this job. If what was wrong is over, start the run again.'

/** What a thrown error says about the end of its run. */
export function runFailureOf(error: unknown): RunFailure {
  const failure = failureOf(error)
  if (!(error instanceof CancelJob)) return failure
  return { ...failure, code: 'CANCELLED', hint: failureCodes.CANCELLED.hint, isCounted: false }
}
