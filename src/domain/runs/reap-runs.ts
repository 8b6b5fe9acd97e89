import { queryRows } from '../../db/sql.ts'
import type { Batch, TaskServices } from '../maintenance/task.ts'
import { tellEnds } from './run-log.ts'

/** Fails runs that nobody will end, and tells of each. Answers how many. */
export async function reapRuns({ keep, now, maxRows }: Batch, { sql, log }: TaskServices): Promise<number> {
  const text = 'select reap_runs::text as "runId" from freshet.reap_runs($1::interval, $2, $3)'
  const reaped = await queryRows<{ runId: string }>(sql, text, [keep, now, maxRows])
  if (reaped.length > 0)
    await tellEnds(
      sql,
      reaped.map(({ runId }) => runId),
      log,
    )
  return reaped.length
}
