import type pg from 'pg'
import { inTransaction } from '../../src/db/transaction.ts'
import { enqueue, type EnqueueOptions, type JobType } from '../../src/domain/queue/enqueue.ts'

/** Enqueues a job in a transaction of its own, for who has nothing else to write with it. */
export const sendJob = <Payload>(
  pool: pg.Pool,
  job: JobType<Payload>,
  payload: NoInfer<Payload>,
  options?: EnqueueOptions,
): Promise<string | undefined> => inTransaction(pool, (tx) => enqueue(tx, job, payload, options))
