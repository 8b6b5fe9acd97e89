import type { RunStatus } from '../../db/generated/client/enums.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import { nameRun } from './run-log.ts'

type Found = {
  runId: string
  attempt: number
  sourceId: string | null
  status: RunStatus
  lockClass: number | null
  lockId: number | null
}

const statement = readQuery('run_of_job')

/** The run of the job at work, if it has one; every further line of the log names it. */
export async function findRunOfJob(sql: Sql, jobId: string): Promise<Found | undefined> {
  const [run] = await queryRows<Found>(sql, statement, [jobId])
  if (run) nameRun(run)
  return run
}

/** How a run stands, and at which attempt. */
export async function findRun(sql: Sql, runId: string): Promise<Pick<Found, 'status' | 'attempt'> | undefined> {
  const text = 'select status, attempt from freshet.runs where id = $1'
  const [run] = await queryRows<Pick<Found, 'status' | 'attempt'>>(sql, text, [runId])
  return run
}
