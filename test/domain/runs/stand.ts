import { randomUUID } from 'node:crypto'
import { queryRows } from '../../../src/db/sql.ts'
import type { RunContext } from '../../../src/domain/runs/context.ts'
import { executeRun } from '../../../src/domain/runs/execute-run.ts'
import type { LockKey } from '../../../src/db/run-lock.ts'
import { runLockClass, type Admit, type RunFacts, type RunRequest } from '../../../src/domain/runs/run.ts'
import { createLog, withLogFields } from '../../../src/log.ts'
import type { TestDatabase } from '../../support/database.ts'
import { collectLines } from '../../support/lines.ts'
import { until } from '../../support/until.ts'
import { at } from '../../support/moment.ts'
import { call, putToWork, storedRun } from '../../support/runs.ts'

let lockId = 0

/** What tests of runs ask of a database: jobs with a run each, and what Postgres says about connections and locks. */
export function runStand({ pool, url: directUrl }: TestDatabase) {
  const untilCount = (wanted: number, sql: string, values: unknown[]) =>
    until(`${wanted} of ${sql}`, async () => (await pool.query(sql, values)).rowCount === wanted)
  return {
    /** A job's run, by default with a lock of its own, and how to make attempts at it. */
    aRun: (
      given: Partial<RunFacts> & { jobId?: string; lock?: LockKey; admit?: Admit } = {},
      way: { directUrl?: string; watchMs?: number; lockMs?: number } = {},
    ) => {
      const { lines, stream } = collectLines()
      const log = createLog({ level: 'debug', destination: stream })
      const lock = { lockClass: runLockClass.feed, lockId: ++lockId }
      const run: RunRequest = { jobId: randomUUID(), kind: 'FEED', trigger: 'SCHEDULED', lock, ...given }
      const [controller, shutdown] = [new AbortController(), new AbortController()]
      const services = { pool, directUrl, log, now: () => at() }
      const tryRun = async (work: (context: RunContext) => Promise<unknown>, isLastAttempt = false) => {
        await putToWork(pool, run.jobId)
        // As a worker does: whatever is logged of the job names it, and its run as soon as there is one.
        return withLogFields({ jobId: run.jobId }, () =>
          executeRun(
            run,
            { ...services, ...way, isLastAttempt, signal: controller.signal, stopping: shutdown.signal },
            work,
          ),
        )
      }
      const find = async () =>
        (await pool.query<{ id: string }>('select id from freshet.runs where job_id = $1', [run.jobId])).rows[0]?.id
      const stored = async () => storedRun(pool, (await find()) ?? '')
      const lockKey = [run.lock.lockClass, run.lock.lockId]
      return { run, services, lines, controller, shutdown, tryRun, find, stored, lockKey }
    },
    isFree: async (lockKey: number[]) => (await call(pool, 'is_run_lock_held', ...lockKey)) === false,
    terminate: (pid: number | undefined) => pool.query('select pg_terminate_backend($1, 5000)', [pid]),
    untilConnected: (jobId: string) =>
      untilCount(1, 'select from pg_stat_activity where application_name = $1', [`freshet:run:${jobId}`]),
    untilNobodyWorksOn: (jobId: string) =>
      untilCount(0, 'select from pg_stat_activity where application_name = $1', [`freshet:run:${jobId}`]),
    untilWaiting: (lockKey: number[]) =>
      untilCount(1, 'select from pg_locks where classid = $1 and objid = $2 and objsubid = 2 and not granted', lockKey),
    untilGone: (pid: number | undefined) => untilCount(0, 'select from pg_stat_activity where pid = $1', [pid]),
  }
}

/** The server process behind the connection that a run writes on. */
export const pidOf = async ({ sql }: RunContext): Promise<number | undefined> =>
  (await queryRows<{ pid: number }>(sql, 'select pg_backend_pid() as pid'))[0]?.pid

export const nothing = async (): Promise<void> => {}
