import { afterAll, beforeEach, expect, test } from 'vitest'
import { MaintenanceTask, tasks, type Task } from '../../src/domain/maintenance/task.ts'
import { runTask } from '../../src/domain/maintenance/run-task.ts'
import { maintenance } from '../../src/jobs/maintenance.ts'
import { cloneDatabase } from '../support/database.ts'
import { openJobs } from '../support/jobs.ts'
import { startRun } from '../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const jobs = await openJobs(database, [maintenance])
afterAll(() => jobs[Symbol.asyncDispose]())

const now = new Date('2026-06-30T12:00:00Z')
const never = new AbortController().signal
const settings = { auditKeepDays: 0 }
const scheduleOf = async (task: MaintenanceTask) =>
  (await pool.query<{ id: string }>("select id from freshet.schedules where payload ->> 'task' = $1", [task])).rows[0]!
    .id
const history = async () =>
  (await pool.query('select rows_touched, outcome, error, finished_at from freshet.schedule_runs order by id')).rows

beforeEach(() => pool.query('truncate freshet.schedule_runs, freshet.runs cascade; delete from pgboss.job'))

/** Errors that are 40 days old, so that there is something to prune. */
async function oldErrors(count: number) {
  await pool.query(
    `with run as (
       insert into freshet.runs (kind, trigger, status, started_at, updated_at, finished_at)
       values ('FEED', 'SCHEDULED', 'SUCCEEDED', $1, $1, $1) returning id
     )
     insert into freshet.run_errors (run_id, at, code, message)
     select id, $1::timestamptz - interval '40 days', 'BAD', 'bad' from run, generate_series(1, $2)`,
    [now, count],
  )
}
const occasionOf = async (task: MaintenanceTask) => ({
  scheduleId: await scheduleOf(task),
  jobId: '00000000-0000-4000-8000-000000000009',
})
const { directUrl } = jobs.services
const services = { sql: pool, directUrl, log: jobs.logger }
const surroundings = { ...services, now: () => now, settings, signal: never }
/** Prunes errors, as their schedule would. */
const pruneErrors = async (more: object = {}) =>
  runTask(tasks['prune-run-errors'], await occasionOf('prune-run-errors'), { ...surroundings, ...more })

test('every task of maintenance has its schedule, enabled and at a time of its own', async () => {
  const { rows } = await pool.query<{ task: string; cron: string; is_enabled: boolean; queue: string }>(
    "select payload ->> 'task' as task, cron, is_enabled, queue from freshet.schedules where kind = 'maintenance'",
  )
  expect(rows.map(({ task }) => task).toSorted()).toEqual(MaintenanceTask.options.toSorted())
  expect(new Set(rows.map(({ cron }) => cron)).size).toBe(rows.length)
  expect(rows.every(({ is_enabled, queue }) => is_enabled && queue === maintenance.name)).toBe(true)
})

test.each(MaintenanceTask.options)('%s runs from its schedule to its history', async (task) => {
  const id = await scheduleOf(task)
  await pool.query('select freshet.run_schedule($1, now())', [id])
  expect(await jobs.drain(maintenance)).toEqual(['done'])
  expect(await history()).toEqual([
    { rows_touched: '0', outcome: 'SUCCEEDED', error: null, finished_at: expect.any(Date) as unknown },
  ])
})

test('S2 §15.5: how much a cleanup took away is told; what deletes nothing is no cleanup', async () => {
  await oldErrors(3)
  const told = () => jobs.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  const before = told().length
  for (const task of ['prune-run-errors', 'reap-runs'] as const)
    await pool.query('select freshet.run_schedule($1, now())', [await scheduleOf(task)])
  expect(await jobs.drain(maintenance)).toEqual(['done', 'done'])
  const cleanups = told()
    .slice(before)
    .filter(({ event }) => event === 'CLEANUP_COMPLETE')
  expect(cleanups).toMatchObject([{ level: 'info', task: 'prune-run-errors', totalDeleted: 3, isDone: true }])
})

test('a task goes on batch by batch until nothing is left, and counts all it touched', async () => {
  await oldErrors(5_001)
  expect(await pruneErrors()).toEqual({ rows: 5_001, isDone: true })
  expect(await history()).toEqual([{ rows_touched: '5001', outcome: 'SUCCEEDED', error: null, finished_at: now }])
})

test('a task that has used up its time leaves the rest for the next', async () => {
  await oldErrors(5_001)
  expect(await pruneErrors({ maxMs: 0 })).toEqual({ rows: 5_000, isDone: false })
  expect(await pruneErrors()).toEqual({ rows: 1, isDone: true })
  expect(await history()).toHaveLength(1) // the same job's row
})

test('a task that is to stop does so between two batches', async () => {
  await oldErrors(5_001)
  expect(await pruneErrors({ signal: AbortSignal.abort() })).toEqual({ rows: 5_000, isDone: false })
})

test('a task that fails says so in its history, and is tried again by its queue', async () => {
  await pool.query('alter table freshet.run_errors rename to run_errors_away')
  const outcome = await jobs.perform(maintenance, {
    task: 'prune-run-errors',
    scheduleId: await scheduleOf('prune-run-errors'),
    trigger: 'SCHEDULED',
    dueAt: now.toISOString(),
  })
  await pool.query('alter table freshet.run_errors_away rename to run_errors')
  expect(outcome).toMatchObject({ kind: 'retried' })
  expect(await history()).toMatchObject([
    { rows_touched: '0', outcome: 'FAILED', error: 'relation "freshet.run_errors" does not exist' },
  ])
})

test('what a task touches anywhere is counted, goes on while calls are full, and tells what went wrong', async () => {
  const occasion = await occasionOf('prune-cron-history')
  const left = [10, 12, 2]
  const task: Task = {
    maxRows: 10,
    keep: () => '7 days',
    run: async (batch, given) => {
      expect([batch, given]).toEqual([{ keep: '7 days', now, maxRows: 10 }, services])
      return left.shift() ?? 0
    },
  }
  expect(await runTask(task, occasion, surroundings)).toEqual({ rows: 24, isDone: true })
  expect(await history()).toMatchObject([{ rows_touched: '24', outcome: 'SUCCEEDED' }])
  const run = () => Promise.reject(new Error('permission denied at postgres://bob:hunter2@db.example'))
  await expect(runTask({ ...task, run }, occasion, surroundings)).rejects.toThrow('permission denied')
  expect(await history()).toMatchObject([
    { outcome: 'FAILED', error: 'permission denied at postgres://bob:********@db.example' },
  ])
})

test.each([
  ['reap-runs', '30 minutes', 100],
  ['prune-run-events', '30 days', 5_000],
  ['prune-run-errors', '30 days', 5_000],
  ['prune-schedule-runs', '30 days', 5_000],
  ['prune-cron-history', '7 days', 5_000],
  ['prune-alerts', '90 days', 1_000],
  ['warn-expiring-offers', '0 hours', 10_000],
  ['shelve-expired-offers', '14 days', 5_000],
  ['prune-feed-runs', '30 days', 200],
  ['prune-audit-log', undefined, 5_000],
] as const)('%s leaves what is younger than %s, and touches %i rows at once', (task, keep, maxRows) => {
  expect([tasks[task].keep(settings), tasks[task].maxRows]).toEqual([keep, maxRows])
})

test('the audit log is pruned only where a number of days is set', () => {
  const { keep } = tasks['prune-audit-log']
  expect([keep({ auditKeepDays: 0 }), keep({ auditKeepDays: 365 })]).toEqual([undefined, '365 days'])
})

test('while a task waits or runs, its schedule adds no second job', async () => {
  const id = await scheduleOf('reap-runs')
  await pool.query("update freshet.schedules set next_run_at = now() - interval '1 minute' where id = $1", [id])
  await pool.query('select freshet.tick()')
  const { rows } = await pool.query('select freshet.run_schedule($1, now()) as id', [id])
  expect((await pool.query("select id from pgboss.job where name = 'maintenance'")).rows).toEqual(rows)
  expect(rows).toHaveLength(1)
})

test('S2 §17.10: a run that the reaper fails says so', async () => {
  const { id, jobId } = await startRun(pool, { now: new Date(now.getTime() - 3_600_000) })
  await pool.query("update pgboss.job set state = 'failed' where id = $1", [jobId])
  const reap = async () => runTask(tasks['reap-runs'], await occasionOf('reap-runs'), surroundings)
  const told = () => jobs.log.map((line) => JSON.parse(line) as object).filter((line) => 'event' in line)
  const before = told().length
  expect([await reap(), await reap()].map(({ rows }) => rows)).toEqual([1, 0])
  const ended = { event: 'RUN_FAILED', runId: id, jobId, code: 'RUN_REAPED', stage: null, durationMs: 3_600_000 }
  expect(told().slice(before)).toMatchObject([ended])
})
