import { queryRows, type Sql } from '../../db/sql.ts'
import { reason } from '../../log.ts'
import { batchesOf, type Batches, type MaintenanceTask } from './task.ts'

const longestMs = 240_000

type Run = { task: MaintenanceTask; scheduleId: string; jobId: string }
type Surroundings = {
  sql: Sql
  now: () => Date
  settings: { auditKeepDays: number }
  /** Between two batches it may stop: the rest is done next time. */
  signal: AbortSignal
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
    await finish('FAILED', result.rows, reason(error))
    throw error
  }
}

async function repeat(
  { statement, keep, maxRows }: Batches,
  { sql, now, signal, maxMs = longestMs }: Surroundings,
  result: TaskResult,
): Promise<void> {
  const end = performance.now() + maxMs
  do {
    const [batch] = await queryRows<{ rows: number }>(sql, statement, [keep, now(), maxRows])
    const rows = batch?.rows ?? 0
    result.rows += rows
    result.isDone = rows < maxRows
  } while (!result.isDone && !signal.aborted && performance.now() < end)
}
