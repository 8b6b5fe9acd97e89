import type { z } from 'zod'
import { readQuery } from '../../db/query.ts'
import { queryRows, type InTx } from '../../db/sql.ts'

/** What the domain knows of a queue: its name and what its jobs carry. The work itself is in `src/jobs`. */
export type JobType<Payload = unknown> = { name: string; payload: z.ZodType<Payload> }

export type EnqueueOptions = { startAfter?: Date; singletonKey?: string; groupId?: string; priority?: number }

const statement = readQuery('enqueue')

/**
 * Puts a job into its queue, in the transaction that makes it true: it exists exactly when that commits. Answers its id;
 * nothing if the queue takes one job a key and has it already.
 */
export async function enqueue<Payload>(
  tx: InTx,
  job: JobType<Payload>,
  payload: NoInfer<Payload>,
  { startAfter, singletonKey, groupId, priority = 0 }: EnqueueOptions = {},
): Promise<string | undefined> {
  const data = JSON.stringify(job.payload.parse(payload))
  const values = [job.name, data, startAfter ?? null, singletonKey ?? null, groupId ?? null, priority]
  const [row] = await queryRows<{ id: string | null }>(tx, statement, values)
  return row?.id ?? undefined
}
