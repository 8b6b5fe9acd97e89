import type { Clock, Job as BossJob, JobWithMetadata } from 'pg-boss'
import { JobError } from '../../domain/queue/job-error.ts'
import { cleanOutput } from '../../domain/text.ts'
import { addLogFields, type Log } from '../../log.ts'
import type { JobContext, JobOptions, Services } from '../kit.ts'
import { countAttempts, outcomeOf, type Outcome } from './outcome.ts'

/** A job as pg-boss hands it out. Only a dead letter's says where it came from: that takes a third of the rate. */
export type Claim = BossJob<unknown> & Partial<Pick<JobWithMetadata, 'sourceId' | 'sourceOutput'>>

/** A queue as the kit works it. */
export type Handler = {
  name: string
  options: JobOptions
  /** Whether its claims say where they came from. */
  isDeadLetter?: boolean
  /** What each line of the log about a claim carries. */
  names(claim: Claim): { queue: string; jobId: string; letterId?: string }
  work(context: Omit<JobContext<unknown>, 'payload'>, claim: Claim): Promise<object | void>
}

export type AttemptParts = {
  services: Services
  log: Log
  clock: Clock
  /** Aborted when the process is to stop. */
  stopping: AbortSignal
  /** Aborted when what still runs is handed back. */
  deadline: AbortSignal
}

/**
 * Runs one attempt and answers how it ended. That is at the latest when its time is up, when the job was taken away, or when
 * a shutdown can wait no longer: the handler is told by its signal, and what it does afterwards changes nothing.
 */
export async function runAttempt(
  handler: Handler,
  claim: Claim,
  retryLimit: number,
  parts: AttemptParts,
): Promise<Outcome> {
  const { services, log, clock, stopping, deadline } = parts
  if (stopping.aborted) return { kind: 'handed-back' }
  const { retryDelays, expireInSeconds } = handler.options
  const counts = countAttempts(retryDelays, { retryCount: claim.retryCount, retryLimit })
  const { attempt, isLastAttempt } = counts
  addLogFields({ attempt })
  const { promise: ended, resolve } = Promise.withResolvers<Outcome>()
  const over = new AbortController()
  const end = (outcome: Outcome, reason: unknown) => {
    over.abort(reason)
    resolve(outcome)
  }
  const onTaken = () => end({ kind: 'lost' }, claim.signal.reason)
  const onDeadline = () => end({ kind: 'handed-back' }, deadline.reason)
  const timer = clock.setTimeout(() => {
    const error = new JobTimeout(expireInSeconds)
    end(outcomeOf(error, counts), error)
  }, expireInSeconds * 1000)
  claim.signal.addEventListener('abort', onTaken)
  deadline.addEventListener('abort', onDeadline)

  const context = { jobId: claim.id, attempt, isLastAttempt, signal: over.signal, stopping, log, services }
  const work = async (): Promise<Outcome> => {
    try {
      const output = await handler.work(context, claim)
      return { kind: 'done', output: output ? cleanOutput(output) : undefined }
    } catch (error) {
      // `stopping.throwIfAborted()` is how a handler says that it reached a safe point.
      if (stopping.aborted && error === stopping.reason) return { kind: 'handed-back' }
      return outcomeOf(error, counts)
    }
  }
  try {
    return await Promise.race([ended, work()])
  } finally {
    clock.clearTimeout(timer)
    claim.signal.removeEventListener('abort', onTaken)
    deadline.removeEventListener('abort', onDeadline)
  }
}

/** The process is to stop. A handler that has reached a safe point may throw it: `stopping.throwIfAborted()`. */
export class ShutdownError extends JobError {
  constructor(message: string) {
    super(message, { code: 'WORKER_STOPPING' })
  }
}

class JobTimeout extends JobError {
  constructor(seconds: number) {
    super(`The attempt was given up after ${seconds} s.`, { code: 'JOB_TIMED_OUT' })
  }
}
