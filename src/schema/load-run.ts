import type { Run } from '../db/generated/client/client.ts'
import { allInOrder, inOrder } from '../domain/read-many.ts'
import { inBatches } from './batch.ts'

/** Runs by their number. */
export const loadRun = inBatches<bigint, Run>(async (ids, { db }) => {
  const rows = await db.run.findMany({ where: { id: { in: [...ids] } } })
  return allInOrder('run', ids, rows, ({ id }) => id)
})

/** The runs that belong to jobs, where they have one. */
export const loadRunOfJob = inBatches<string, Run | null>(async (jobIds, { db }) => {
  const rows = await db.run.findMany({ where: { jobId: { in: [...jobIds] } } })
  return inOrder(jobIds, rows, ({ jobId }) => jobId).map((row) => row ?? null)
})
