import { z } from 'zod'
import { defineJob, type Job, type JobOptions } from '../../src/jobs/kit.ts'

/** A queue for a test: one attempt more after 5 s and after 15 s, unless it says otherwise. */
export function aJob(
  name: string,
  work: Job<{ number: number }>['work'] = async () => {},
  options: Partial<JobOptions> & Pick<Partial<Job<{ number: number }>>, 'onFinalFailure'> = {},
) {
  const { onFinalFailure, ...rest } = options
  return defineJob({
    name,
    payload: z.object({ number: z.number() }),
    options: { retryDelays: [5, 15], expireInSeconds: 60, ...rest },
    work,
    ...(onFinalFailure ? { onFinalFailure } : {}),
  })
}
