import { CancelJob, SnoozeJob } from '../queue/job-error.ts'
import type { RunOutcome } from './execute-run.ts'

const waitSeconds = 10

/** What the outcome of a run means for its job: done, with this output; nothing to do; or put back at no cost. */
export function settleRunJob(outcome: RunOutcome): { run: RunOutcome } {
  if (outcome === 'lock-busy') throw new CancelJob('SKIPPED_LOCK_BUSY')
  if (outcome === 'taken-away') throw new CancelJob('The job was taken away before its run began.')
  if (outcome === 'wait') throw new SnoozeJob(waitSeconds, 'Another run holds the lock.')
  return { run: outcome }
}
