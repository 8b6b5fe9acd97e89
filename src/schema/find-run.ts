import type { Run } from '../db/generated/client/client.ts'
import { inBatches } from './batch.ts'

/** Runs by their number, looked up together. */
export const findRun = inBatches<bigint, Run>(async (ids: readonly bigint[], { db }) => {
  const found = new Map((await db.run.findMany({ where: { id: { in: [...ids] } } })).map((run) => [run.id, run]))
  return ids.map((id) => found.get(id) ?? new Error(`Run ${id} has events and is gone.`))
})

/** The runs that belong to jobs, looked up together. */
export const findRunOfJob = inBatches(async (jobIds: readonly string[], { db }) => {
  const runs = await db.run.findMany({ where: { jobId: { in: [...jobIds] } } })
  const found = new Map(runs.map((run) => [run.jobId, run]))
  return jobIds.map((jobId) => found.get(jobId) ?? null)
})
