import type { Pool } from '../../db/pool.ts'
import { queryRows } from '../../db/sql.ts'
import { errorCodes, type ErrorCode } from '../error-codes.ts'
import { badInput, DomainError } from '../errors.ts'
import type { JobPlace } from '../queue/operate.ts'
import { awaitRun } from '../runs/await-run.ts'
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

/**
 * Waits for a job. What a worker refused under the feed's lock is told as if the mutation itself had looked; of a failure that
 * is none of these, its job tells.
 */
export async function awaitOutcome(
  { eventHub: hub, pool, now }: FeedParts,
  job: JobPlace,
  waitSeconds: number,
  field: string,
): Promise<Outcome> {
  const { jobState, run } = await awaitRun({ hub, pool, now }, job, waitSeconds * 1000)
  if (run) return { job, isDone: run.status !== 'RUNNING', runId: run.id }
  const code = jobState === 'COMPLETED' ? await readRefusal(pool, job) : undefined
  if (code) throw new DomainError(code, errorCodes[code].meaning, { field })
  return { job, isDone: jobState === 'COMPLETED', runId: undefined }
}

/** What a decision that was not carried out answered. */
async function readRefusal(pool: Pool, { queue, id }: JobPlace): Promise<ErrorCode | undefined> {
  const text = `select output ->> 'refusal' as code from pgboss.job where name = $1 and id = $2::uuid`
  const [row] = await queryRows<{ code: string | null }>(pool, text, [queue, id])
  return row?.code && isErrorCode(row.code) ? row.code : undefined
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code)
