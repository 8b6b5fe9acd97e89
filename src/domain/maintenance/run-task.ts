import { queryRows } from '../../db/sql.ts'
import { reason, scrub } from '../../log.ts'
import type { Task, TaskServices, TaskSettings } from './task.ts'

const longestMs = 240_000

type Occasion = { scheduleId: string; jobId: string }
type Surroundings = TaskServices & {
  now: () => Date
  settings: TaskSettings
  /** Between two batches it may stop: the rest is done next time. */
  signal: AbortSignal
  maxMs?: number
}

/** How many rows were touched, and whether nothing is left to do. */
export type TaskResult = { rows: number; isDone: boolean }

/** Does one task of maintenance, a batch a transaction, and keeps its history: when, how many rows, what went wrong. */
export async function runTask(
  task: Task,
  { scheduleId, jobId }: Occasion,
  surroundings: Surroundings,
): Promise<TaskResult> {
  const { sql, now, settings } = surroundings
  const started = 'select freshet.start_schedule_run($1::bigint, $2::uuid, $3::timestamptz)::text as id'
  const [run] = await queryRows<{ id: string }>(sql, started, [scheduleId, jobId, now()])
  const finish = (outcome: 'SUCCEEDED' | 'FAILED', rows: number, error: string | null) => {
    const finished = 'select freshet.finish_schedule_run($1::bigint, $2, $3, $4, $5)'
    return queryRows(sql, finished, [run?.id, outcome, rows, error, now()])
  }
  const result = { rows: 0, isDone: false }
  try {
    const keep = task.keep(settings)
    if (keep === undefined) result.isDone = true
    else await repeat(task, keep, surroundings, result)
    await finish('SUCCEEDED', result.rows, null)
    return result
  } catch (error) {
    await finish('FAILED', result.rows, scrub(reason(error)))
    throw error
  }
}

async function repeat(
  { maxRows, run }: Task,
  keep: string,
  { sql, directUrl, log, now, signal, maxMs = longestMs }: Surroundings,
  result: TaskResult,
): Promise<void> {
  const end = performance.now() + maxMs
  do {
    const rows = await run({ keep, now: now(), maxRows }, { sql, directUrl, log })
    result.rows += rows
    result.isDone = rows < maxRows
  } while (!result.isDone && !signal.aborted && performance.now() < end)
}
