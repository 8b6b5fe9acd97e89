import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { createTestRole } from '../../support/role.ts'
import { aSchedule } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const now = new Date('2026-06-30T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const day = 24 * 60
const call = async (name: string, keep: string, maxRows = 100, at = now) =>
  (await pool.query<{ rows: number }>(`select freshet.${name}($1, $2, $3) as rows`, [keep, at, maxRows])).rows[0]?.rows
const left = async (table: string, column: string) =>
  (await pool.query<{ value: Date }>(`select ${column} as value from freshet.${table} order by 1 desc`)).rows.map(
    ({ value }) => value,
  )
const stream = async () => (await pool.query('select pruned_position from freshet.event_stream')).rows[0]

beforeEach(async () => {
  await pool.query('truncate freshet.run_events, freshet.run_errors, freshet.runs, freshet.schedules cascade')
  await pool.query('truncate freshet.audit_log')
  await pool.query('truncate freshet.alerts cascade; update freshet.alert_stream set pruned_position = 0')
  await pool.query('update freshet.event_stream set last_position = 0, pruned_position = 0')
})

async function aRun(status = 'SUCCEEDED'): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into freshet.runs (job_id, kind, trigger, status, started_at, updated_at, finished_at)
     values ($1, 'FEED', 'SCHEDULED', $2, $3, $3, $4) returning id`,
    [randomUUID(), status, now, status === 'RUNNING' ? null : now],
  )
  return rows[0]!.id
}
const anEvent = (runId: string, number: number, position: number | null, at: Date) =>
  pool.query(
    "insert into freshet.run_events (run_id, number, position, at, attempt, kind) values ($1, $2, $3, $4, 1, 'STAGE')",
    [runId, number, position, at],
  )
const anError = async (runId: string, at: Date) =>
  pool.query("insert into freshet.run_errors (run_id, at, code, message) values ($1, $2, 'BAD', 'bad')", [runId, at])

test('events of 30 days are pruned, of 29 days 23:59 kept, and the stream knows the last position that went', async () => {
  const run = await aRun()
  await anEvent(run, 1, 11, minutesAgo(31 * day))
  await anEvent(run, 2, 12, minutesAgo(30 * day))
  await anEvent(run, 3, 13, minutesAgo(30 * day - 1))
  expect(await call('prune_run_events', '30 days')).toBe(2)
  expect(await left('run_events', 'at')).toEqual([minutesAgo(30 * day - 1)])
  expect(await stream()).toEqual({ pruned_position: '12' })
  expect(await call('prune_run_events', '30 days')).toBe(0)
  expect(await stream()).toEqual({ pruned_position: '12' })
})

test('events of a run that still runs, and events without a place, are kept', async () => {
  await anEvent(await aRun('RUNNING'), 1, 1, minutesAgo(40 * day))
  await anEvent(await aRun(), 1, null, minutesAgo(40 * day))
  expect(await call('prune_run_events', '30 days')).toBe(0)
  expect(await stream()).toEqual({ pruned_position: '0' })
})

test('the last position that went never falls', async () => {
  const run = await aRun()
  await pool.query('update freshet.event_stream set pruned_position = 50')
  await anEvent(run, 1, 20, minutesAgo(40 * day))
  expect(await call('prune_run_events', '30 days')).toBe(1)
  expect(await stream()).toEqual({ pruned_position: '50' })
})

test.each([
  ['prune_run_events', 'run_events', 'at'],
  ['prune_run_errors', 'run_errors', 'at'],
])('%s takes at most as many rows as it is told, the oldest first', async (name, table, column) => {
  const run = await aRun()
  for (const days of [31, 33, 32]) {
    await anEvent(run, days, days, minutesAgo(days * day))
    await anError(run, minutesAgo(days * day))
  }
  expect(await call(name, '30 days', 2)).toBe(2)
  expect(await left(table, column)).toEqual([minutesAgo(31 * day)])
  expect(await call(name, '30 days', 2)).toBe(1)
})

test('errors of 30 days are pruned, of 29 days 23:59 kept, and so are their totals', async () => {
  const run = await aRun()
  await anError(run, minutesAgo(30 * day))
  await anError(run, minutesAgo(30 * day - 1))
  await pool.query("insert into freshet.run_error_totals (run_id, code, total) values ($1, 'BAD', 2)", [run])
  expect(await call('prune_run_errors', '30 days')).toBe(1)
  expect(await left('run_errors', 'at')).toEqual([minutesAgo(30 * day - 1)])
  expect(await left('run_error_totals', 'total')).toEqual([2])
})

test('the history of a schedule goes after 30 days, but for its last run', async () => {
  const record = (scheduleId: string, at: Date) =>
    pool.query('insert into freshet.schedule_runs (schedule_id, job_id, started_at) values ($1, $2, $3)', [
      scheduleId,
      randomUUID(),
      at,
    ])
  const [often, seldom] = [await aSchedule(pool), await aSchedule(pool)]
  await record(often, minutesAgo(30 * day))
  await record(often, minutesAgo(30 * day - 1))
  await record(often, minutesAgo(1))
  await record(seldom, minutesAgo(300 * day))
  expect(await call('prune_schedule_runs', '30 days')).toBe(1)
  expect(await left('schedule_runs', 'started_at')).toEqual([
    minutesAgo(1),
    minutesAgo(30 * day - 1),
    minutesAgo(300 * day),
  ])
})

test('prune_schedule_runs takes at most as many rows as it is told, the oldest first', async () => {
  const id = await aSchedule(pool)
  for (const days of [31, 33, 32, 1])
    await pool.query('insert into freshet.schedule_runs (schedule_id, job_id, started_at) values ($1, $2, $3)', [
      id,
      randomUUID(),
      minutesAgo(days * day),
    ])
  expect(await call('prune_schedule_runs', '30 days', 2)).toBe(2)
  expect(await left('schedule_runs', 'started_at')).toEqual([minutesAgo(day), minutesAgo(31 * day)])
})

const anEntry = (at: Date) =>
  pool.query(
    "insert into freshet.audit_log (at, actor, action, object_type, request_id) values ($1, 'a', 'A', 'Retailer', 'r')",
    [at],
  )

test('entries of the audit log go at the age named, not a minute before, and an entry says so', async () => {
  await anEntry(minutesAgo(365 * day))
  await anEntry(minutesAgo(365 * day - 1))
  expect(await call('prune_audit_log', '365 days')).toBe(1)
  const { rows } = await pool.query(
    "select actor, action, changes ->> 'deleted' as deleted from freshet.audit_log order by at",
  )
  expect(rows).toEqual([
    { actor: 'a', action: 'A', deleted: null },
    { actor: 'maintenance', action: 'PRUNE_AUDIT_LOG', deleted: '{"to": 1}' },
  ])
})

test('prune_audit_log takes at most as many entries as it is told, the oldest first', async () => {
  for (const days of [366, 368, 367]) await anEntry(minutesAgo(days * day))
  expect(await call('prune_audit_log', '365 days', 2)).toBe(2)
  const { rows } = await pool.query("select at from freshet.audit_log where action = 'A'")
  expect(rows).toEqual([{ at: minutesAgo(366 * day) }])
})

test('the audit log is kept for 90 days, whatever is asked, and whatever time it is said to be', async () => {
  const realNow = new Date()
  await anEntry(new Date(realNow.getTime() - 89 * day * 60_000))
  await expect(call('prune_audit_log', '89 days 23:59')).rejects.toMatchObject({ code: 'FR041' })
  expect(await call('prune_audit_log', '90 days', 100, new Date(realNow.getTime() + 3650 * day * 60_000))).toBe(0)
  expect(await left('audit_log', 'action')).toEqual(['A'])
})

/** An alert that was resolved then, or is open, and one piece of news of it at each of these places. */
async function anAlert(key: string, resolvedAt: Date | null, positions: (number | null)[]) {
  const { rows } = await pool.query<{ id: string }>(
    `insert into freshet.alerts (raised_at, last_raised_at, resolved_at, severity, kind, dedupe_key, subject, message)
     values ($2, $2, $3, 'P1', 'TRIAL', $1, 'trial', 'Look.') returning id`,
    [key, minutesAgo(200 * day), resolvedAt],
  )
  for (const [index, position] of positions.entries())
    await pool.query('insert into freshet.alert_news (alert_id, severity, position, at) values ($1, $2, $3, $4)', [
      rows[0]?.id,
      ['P3', 'P2', 'P1'][index],
      position,
      minutesAgo(200 * day),
    ])
}
const alertKeys = async () =>
  (await pool.query<{ key: string }>('select dedupe_key as key from freshet.alerts order by id')).rows.map(
    ({ key }) => key,
  )
const prunedNews = async () => (await pool.query('select pruned_position from freshet.alert_stream')).rows

test('alerts that were resolved 90 days ago go with their news, of 89 days 23:59 and open ones stay', async () => {
  await anAlert('old', minutesAgo(90 * day), [1, 4])
  await anAlert('young', minutesAgo(90 * day - 1), [2])
  await anAlert('open', null, [3])
  await anAlert('untold', minutesAgo(100 * day), [5, null])
  expect(await call('prune_alerts', '90 days')).toBe(1)
  expect(await alertKeys()).toEqual(['young', 'open', 'untold'])
  expect((await pool.query('select position from freshet.alert_news order by id')).rows).toEqual([
    { position: '2' },
    { position: '3' },
    { position: '5' },
    { position: null },
  ])
  expect(await prunedNews()).toEqual([{ pruned_position: '4' }])
  expect(await call('prune_alerts', '90 days')).toBe(0)
  expect(await prunedNews()).toEqual([{ pruned_position: '4' }])
})

test('prune_alerts takes at most as many alerts as it is told, the oldest first, and the last place never falls', async () => {
  for (const [days, position] of [
    [91, 1],
    [93, 9],
    [92, 3],
  ] as const)
    await anAlert(`${days}`, minutesAgo(days * day), [position])
  expect(await call('prune_alerts', '90 days', 2)).toBe(2)
  expect(await alertKeys()).toEqual(['91'])
  expect(await call('prune_alerts', '90 days', 2)).toBe(1)
  expect(await prunedNews()).toEqual([{ pruned_position: '9' }])
})

test('the runtime role prunes the audit log through the function alone', async () => {
  await using role = await createTestRole(database)
  await pool.query(`select freshet.grant_runtime('${role.name}')`)
  await anEntry(minutesAgo(400 * day))
  await using runtime = role.connect()
  await expect(runtime.query('delete from freshet.audit_log')).rejects.toMatchObject({ code: '42501' })
  const { rows } = await runtime.query("select freshet.prune_audit_log('365 days', $1, 10) as rows", [now])
  expect(rows).toEqual([{ rows: 1 }])
})

test('where pg_cron is not in the database it has no history to prune', async () => {
  expect(await call('prune_cron_history', '7 days')).toBe(0)
})

test('the job of a schedule that is tried again begins its one row of history anew', async () => {
  const [id, jobId] = [await aSchedule(pool), randomUUID()]
  const start = async (at: Date) =>
    (await pool.query<{ id: string }>('select freshet.start_schedule_run($1, $2, $3) as id', [id, jobId, at])).rows[0]!
      .id
  const run = await start(minutesAgo(2))
  await pool.query("select freshet.finish_schedule_run($1, 'FAILED', 7, 'no luck', $2)", [run, minutesAgo(1)])
  expect(await start(now)).toBe(run)
  const { rows } = await pool.query(
    'select started_at, finished_at, rows_touched, outcome, error from freshet.schedule_runs',
  )
  expect(rows).toEqual([{ started_at: now, finished_at: null, rows_touched: null, outcome: null, error: null }])
})
