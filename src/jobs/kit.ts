import type { z } from 'zod'
import type { Config } from '../config.ts'
import type { Pool } from '../db/pool.ts'
import type { Db } from '../db/prisma.ts'
import type { Connection } from '../db/sql.ts'
import type { JobType } from '../domain/queue/enqueue.ts'
import type { Log } from '../log.ts'

/** What handlers may use; `src/app/store.ts` makes it. */
export type Services = {
  pool: Pool
  db: Db
  /** A connection that no pooler stands in: for the lock and the writing of a run. */
  directUrl: string
  config: Config
  now: () => Date
}

/** One attempt at a job, as its handler sees it. */
export type JobContext<Payload> = {
  payload: Payload
  jobId: string
  /** Counted from 1. A snooze, and a shutdown that hands the job back, cost none. */
  attempt: number
  isLastAttempt: boolean
  /** Aborted when the job is no longer this attempt's: it was taken away, timed out, or handed back by a shutdown. */
  signal: AbortSignal
  /** Aborted when the process is to stop: reach a safe point soon. What still runs at the deadline is handed back. */
  stopping: AbortSignal
  log: Log
  services: Services
}

/** The end of a job that no attempt could save. */
export type FinalFailure<Payload> = {
  /** Absent where the payload could not be read: that may be the failure. */
  payload: Payload | undefined
  jobId: string
  attempts: number
  /** What the last attempt failed with. */
  error: { code: string; message: string; hint: string | null }
  /** Commits together with the fact that this was told, so what is written through it is written once. */
  tx: Connection
  log: Log
  services: Services
}

export type JobOptions = {
  /** Seconds to wait before each further attempt: `[5, 15]` makes three attempts in all. */
  retryDelays: number[]
  /** When an attempt is given up. Long work sets it above its own limit. */
  expireInSeconds: number
  /** How soon a dead worker is noticed; 10 is the least that pg-boss takes. */
  heartbeatSeconds?: number
  /** How many run at once in one process. */
  concurrency?: number
  /** How many are fetched and settled together. Above 1 only for jobs of milliseconds: the slowest holds up the rest. */
  batchSize?: number
  /** `short`: one waiting job a singleton key. `exclusive`: one waiting or running. */
  policy?: 'standard' | 'short' | 'exclusive'
  /** Jobs of one group run one after the other in one process. More than one is not to be had beside `batchSize` 1. */
  groupConcurrency?: 1
  /** How long an ended job can be looked at. */
  keepSeconds?: number
  /** Nobody need look at its dead letters: whoever asked was answered. They are dismissed as soon as they were told. */
  dismissesLetters?: boolean
}

export type Job<Payload = unknown> = JobType<Payload> & {
  options: JobOptions
  /** Returning ends the job; what is returned is kept as its output. See `src/domain/queue/job-error.ts` for other ends. */
  work(context: JobContext<Payload>): Promise<object | void>
  /** Told once, when attempts are used up or none can help, also when the last worker was killed. */
  onFinalFailure?(failure: FinalFailure<Payload>): Promise<void>
}

const longestBatchSeconds = 60

/** Describes a queue: its name, what its jobs carry, how they are retried, and what is done. One file a queue. */
export function defineJob<Payload>(job: {
  name: string
  payload: z.ZodType<Payload>
  options: JobOptions
  work(context: JobContext<Payload>): Promise<object | void>
  onFinalFailure?(failure: FinalFailure<Payload>): Promise<void>
}): Job<Payload> {
  const { batchSize = 1, expireInSeconds } = job.options
  if (!/^[a-z]+(-[a-z]+)*$/.test(job.name) || job.name.endsWith('-dead'))
    throw new Error(`A queue is named in lower case words with dashes, not ending in -dead; this is "${job.name}".`)
  if (batchSize > 1 && expireInSeconds > longestBatchSeconds)
    throw new Error(
      `The jobs of "${job.name}" may take ${expireInSeconds} s: more than ${longestBatchSeconds} s must not hold up a batch.`,
    )
  return job
}

/** Where the jobs of a queue go that no attempt could save. */
export const deadQueueOf = (queue: string): string => `${queue}-dead`
