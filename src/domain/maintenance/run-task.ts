import { queryRows, type Sql } from '../../db/sql.ts'
import { reason, scrub } from '../../log.ts'
import { batchesOf, type Batches, type MaintenanceTask } from './task.ts'

const longestMs = 240_000

/** How much one call may take: what is older than `keep`, at most `maxRows` rows. */
export type Batch = { keep: string; now: Date; maxRows: number }

type Run = { task: MaintenanceTask; scheduleId: string; jobId: string }
type Surroundings = {
  sql: Sql
  now: () => Date
  settings: { auditKeepDays: number }
  /** Between two batches it may stop: the rest is done next time. */
  signal: AbortSignal
  /** What a batch does where no SQL of this database reaches; answers how many rows. */
  elsewhere?: (batch: Batch) => Promise<number>
  maxMs?: number
}

/** How many rows were touched, and whether nothing is left to do. */
export type TaskResult = { rows: number; isDone: boolean }

/** Does one task of maintenance, a batch a transaction, and keeps its history: when, how many rows, what went wrong. */
export async function runTask({ task, scheduleId, jobId }: Run, surroundings: Surroundings): Promise<TaskResult> {
  const { sql, now, settings } = surroundings
  const started = 'select freshet.start_schedule_run($1::bigint, $2::uuid, $3::timestamptz)::text as id'
  const [run] = await queryRows<{ id: string }>(sql, started, [scheduleId, jobId, now()])
  const finish = (outcome: 'SUCCEEDED' | 'FAILED', rows: number, error: string | null) =>
    queryRows(sql, 'select freshet.finish_schedule_run($1::bigint, $2, $3, $4, $5)', [
      run?.id,
      outcome,
      rows,
      error,
      now(),
    ])
  const result = { rows: 0, isDone: false }
  try {
    const batches = batchesOf(task, settings)
    if (batches) await repeat(batches, surroundings, result)
    else result.isDone = true
    await finish('SUCCEEDED', result.rows, null)
    return result
  } catch (error) {
    await finish('FAILED', result.rows, scrub(reason(error)))
    throw error
  }
}

async function repeat(
  { statement, keep, maxRows }: Batches,
  { sql, now, signal, elsewhere, maxMs = longestMs }: Surroundings,
  result: TaskResult,
): Promise<void> {
  const end = performance.now() + maxMs
  do {
    const [batch] = await queryRows<{ rows: number }>(sql, statement, [keep, now(), maxRows])
    const here = batch?.rows ?? 0
    result.rows += here
    const there = (await elsewhere?.({ keep, now: now(), maxRows })) ?? 0
    result.rows += there
    result.isDone = here < maxRows && there < maxRows
  } while (!result.isDone && !signal.aborted && performance.now() < end)
}
