import type { JobType } from '../../domain/queue/enqueue.ts'
import { failureOf, keptText, type JobFailure } from '../../domain/queue/failure.ts'
import { CancelJob, PermanentError, SnoozeJob } from '../../domain/queue/job-error.ts'
import { reason } from '../../log.ts'

/** How an attempt ended. `lost`: the job is no longer this attempt's, so there is nothing to settle. */
export type Outcome =
  | { kind: 'done'; output: object | undefined }
  | { kind: 'cancelled'; reason: string }
  | { kind: 'snoozed'; seconds: number; reason: string }
  | { kind: 'handed-back' }
  | { kind: 'retried'; waitSeconds: number; failure: JobFailure; error: unknown }
  | { kind: 'failed'; attempts: number; failure: JobFailure; error: unknown }
  | { kind: 'lost' }

type Counts = { retryCount: number; retryLimit: number }
type Counted = { attempt: number; isLastAttempt: boolean; waitSeconds: number }

/** Which attempt this is, from 1. A snooze raises pg-boss's count and limit alike, so what is left tells it. */
export function countAttempts(retryDelays: number[], { retryCount, retryLimit }: Counts): Counted {
  const left = Math.max(0, retryLimit - retryCount)
  const attempt = Math.max(1, retryDelays.length + 1 - left)
  return { attempt, isLastAttempt: left === 0, waitSeconds: retryDelays[attempt - 1] ?? retryDelays.at(-1) ?? 0 }
}

/** What becomes of a job whose attempt threw this. */
export function outcomeOf(error: unknown, { attempt, isLastAttempt, waitSeconds }: Counted): Outcome {
  if (error instanceof CancelJob) return { kind: 'cancelled', reason: keptText(reason(error)) }
  if (error instanceof SnoozeJob)
    return { kind: 'snoozed', seconds: Math.max(0, error.seconds), reason: keptText(reason(error)) }
  const failure = failureOf(error)
  if (isLastAttempt || error instanceof PermanentError) return { kind: 'failed', attempts: attempt, failure, error }
  return { kind: 'retried', waitSeconds, failure, error }
}

/** Reads what a job carries. What cannot be read never will be: it goes to the dead letters with what is wrong. */
export function readPayload<Payload>({ name, payload }: JobType<Payload>, data: unknown): Payload {
  const parsed = payload.safeParse(data)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`)
  // It says all that zod says; with that as its cause a line of the log says it five times over.
  throw new PermanentError(`The payload of a job of "${name}" cannot be read: ${problems.join('; ')}.`, {
    code: 'JOB_PAYLOAD_INVALID',
  })
}
