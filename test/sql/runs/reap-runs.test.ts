import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { startRunOf } from '../../support/queue.ts'
import { at } from '../../support/moment.ts'
import { call, startRun, storedRun } from '../../support/runs.ts'
import { aRetailer, aSource } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await pool.query('select pgboss.create_queue(\'trial\', \'{"policy": "standard"}\')')
await pool.query('select pgboss.create_queue(\'notify\', \'{"policy": "standard"}\')')

const halfHour = 30 * 60
const reap = async (seconds = halfHour, maxRows = 100) =>
  (await pool.query('select from freshet.reap_runs($1, $2, $3)', ['30 minutes', at(seconds), maxRows])).rowCount
const statusOf = async (id: string) => (await storedRun(pool, id)).run.status
let lockId = 0

/** A job in a state, as pg-boss would leave it. */
async function aJob(state: string, payload: object = {}): Promise<string> {
  const { rows } = await pool.query<{ id: string }>("select freshet.enqueue('trial', $1) as id", [payload])
  await pool.query('update pgboss.job set state = $2 where id = $1', [rows[0]?.id, state])
  return rows[0]?.id ?? ''
}

/** A run that began at 12:00 with a lock of its own, and a job in a state. */
async function aSilentRun(state = 'failed', sourceId: string | null = null) {
  await pool.query("delete from freshet.runs where status = 'RUNNING'")
  const lock: [number, number] = [4620, ++lockId]
  return { ...(await startRunOf(pool, await aJob(state), { lock, sourceId })), lock }
}

test('RULINGS 1: a run that nothing was written to for 29 min 59 s is kept, at 30 min it is reaped', async () => {
  const { id } = await aSilentRun()
  expect(await reap(halfHour - 1)).toBe(0)
  expect(await statusOf(id)).toBe('RUNNING')
  expect(await reap(halfHour)).toBe(1)
  const { run, events } = await storedRun(pool, id)
  expect(run).toMatchObject({
    status: 'FAILED',
    error_code: 'RUN_REAPED',
    error_message: 'The worker was lost and no job is left to go on with the run.',
    error_hint: 'Look at the log of the workers around 2026-01-01T00:00:00Z, then start the run again.',
    finished_at: at(halfHour),
    is_counted: true,
  })
  expect(events.at(-1)).toMatchObject({ kind: 'FAILED', code: 'RUN_REAPED' })
  expect(await reap(halfHour + 1)).toBe(0)
})

test.each([
  ['set_run_stage', ['PARSE']],
  ['add_run_progress', [{ rows: 1 }]],
  ['sample_run_error', ['BAD', 'Bad.']],
  ['sample_run_errors', ['[]', {}, 0]],
])('RULINGS 30: %s is a sign of life: the half hour begins anew', async (name, values) => {
  const { id } = await aSilentRun()
  await call(pool, name, id, 1, ...values, at(60))
  expect(await reap(halfHour + 59)).toBe(0)
  expect(await reap(halfHour + 60)).toBe(1)
})

test.each([
  ['created', 0],
  ['retry', 0],
  ['active', 0],
  ['completed', 1],
  ['cancelled', 1],
  ['failed', 1],
])('RULINGS 1: of a silent run whose job is %s, %i is reaped', async (state, reaped) => {
  await aSilentRun(state)
  expect(await reap()).toBe(reaped)
})

test('RULINGS 1: a silent run whose job is gone is reaped', async () => {
  const { id, jobId } = await aSilentRun()
  await pool.query('delete from pgboss.job where id = $1', [jobId])
  expect(await reap()).toBe(1)
  expect(await statusOf(id)).toBe('FAILED')
})

test('RULINGS 30: a run is kept while one of many jobs that name it waits or is at work, and reaped when none is left', async () => {
  const { id } = await aSilentRun()
  await aJob('completed', { runId: id })
  const last = await aJob('retry', { runId: id })
  await aJob('active', { runId: `${id}0` }) // another run's
  expect(await reap()).toBe(0)
  await pool.query("update pgboss.job set state = 'completed' where id = $1", [last])
  expect(await reap()).toBe(1)
})

test('RULINGS 1: a silent run whose lock is held is kept, and reaped when the lock is free', async () => {
  const { lock } = await aSilentRun()
  const holder = await pool.connect()
  await holder.query('select pg_advisory_lock($1, $2)', lock)
  expect(await reap()).toBe(0)
  await holder.query('select pg_advisory_unlock_all()')
  holder.release()
  expect(await reap()).toBe(1)
})

test('a lock with other keys, of one key of eight bytes, or of another database keeps no run', async () => {
  const { lock } = await aSilentRun()
  await using elsewhere = await cloneDatabase()
  const [holder, stranger] = [await pool.connect(), await elsewhere.pool.connect()]
  await holder.query('select pg_advisory_lock($1::int, $2::int + 1), pg_advisory_lock($1::int + 1, $2::int)', lock)
  await holder.query('select pg_advisory_lock(($1::bigint << 32) + $2)', lock)
  await stranger.query('select pg_advisory_lock($1, $2)', lock)
  expect(await reap()).toBe(1)
  holder.release(true)
  stranger.release(true)
})

test('RULINGS 30: a run without a lock needs none to be free', async () => {
  await aSilentRun()
  const { id } = await startRun(pool, { jobId: null, kind: 'SCRAPE' })
  await reap()
  expect(await statusOf(id)).toBe('FAILED')
})

test('a run that somebody is writing to at this moment is passed over', async () => {
  const { id } = await aSilentRun()
  const writer = await pool.connect()
  await writer.query('begin')
  await call(writer, 'set_run_stage', id, 1, 'PARSE', at(halfHour))
  expect(await reap()).toBe(0)
  await writer.query('commit')
  writer.release()
  expect(await reap()).toBe(0)
})

test('at most as many as asked for are reaped in a call, the longest silent first', async () => {
  await aSilentRun()
  const later = [await startRun(pool, { jobId: null, now: at(2) }), await startRun(pool, { jobId: null, now: at(1) })]
  expect(await reap(7_200, 2)).toBe(2)
  expect([await statusOf(later[0]?.id ?? ''), await statusOf(later[1]?.id ?? '')]).toEqual(['RUNNING', 'FAILED'])
})

test('RULINGS 1: a reaped run raises one alert a kind and source, which the next success resolves', async () => {
  const source = await aSource(pool, await aRetailer(pool))
  const alerts = async () =>
    (
      await pool.query(
        'select kind, severity, subject, times_raised, source_id, run_id, resolved_at from freshet.alerts where source_id = $1',
        [source],
      )
    ).rows
  const first = await aSilentRun('failed', source)
  await reap()
  expect(await alerts()).toEqual([
    {
      kind: 'RUN_REAPED',
      severity: 'P2',
      subject: `FEED run ${first.id}`,
      times_raised: 1,
      source_id: source,
      run_id: first.id,
      resolved_at: null,
    },
  ])
  const second = await aSilentRun('failed', source)
  await reap()
  expect(await alerts()).toMatchObject([{ times_raised: 2, run_id: second.id, resolved_at: null }])
  const other = await startRun(pool, { kind: 'SCRAPE', sourceId: source })
  await call(pool, 'finish_run', other.id, 1, at(3_600))
  expect(await alerts()).toMatchObject([{ resolved_at: null }])
  const good = await startRun(pool, { sourceId: source })
  await call(pool, 'finish_run', good.id, 1, at(7_200))
  expect(await alerts()).toMatchObject([{ resolved_at: at(7_200) }])
})

test('the job of a reaped run that comes back after all is told that its run has ended', async () => {
  const { id, jobId } = await aSilentRun()
  await reap()
  expect(await startRunOf(pool, jobId)).toMatchObject({ id, status: 'FAILED', attempt: 1 })
})
