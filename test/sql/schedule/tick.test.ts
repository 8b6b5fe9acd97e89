import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { makeQueue } from '../../support/queue.ts'
import { startRun } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await makeQueue(pool, 'notify')

const tick = async (driver: string, now: Date, lease = 15) =>
  (
    await pool.query<{ drives: boolean }>('select drives from freshet.tick($1, make_interval(secs => $3), $2)', [
      driver,
      now,
      lease,
    ])
  ).rows[0]?.drives
const clock = async () => (await pool.query('select driver, lease_until, last_tick_at from freshet.clock')).rows
const openAlerts = async () =>
  (
    await pool.query<{ kind: string; message: string }>(
      'select kind, message from freshet.alerts where resolved_at is null',
    )
  ).rows

beforeEach(async () => {
  await pool.query('update freshet.clock set driver = null, lease_until = null, last_tick_at = null')
  await pool.query('update freshet.schedules set is_enabled = false; delete from freshet.alerts')
})

test('the first to tick drives', async () => {
  expect(await tick('a', at(0))).toBe(true)
  expect(await clock()).toEqual([{ driver: 'a', lease_until: at(15), last_tick_at: at(0) }])
})

test("another driver's running lease refuses, up to its last moment", async () => {
  await tick('a', at(0))
  expect(await tick('b', new Date(at(15).getTime() - 1))).toBe(false)
  expect(await clock()).toEqual([{ driver: 'a', lease_until: at(15), last_tick_at: at(0) }])
})

test('an expired lease is taken, at the moment it expires', async () => {
  await tick('a', at(0))
  expect(await tick('b', at(15))).toBe(true)
  expect(await clock()).toEqual([{ driver: 'b', lease_until: at(30), last_tick_at: at(15) }])
  expect(await tick('a', at(16))).toBe(false)
})

test('the driver renews its own lease', async () => {
  await tick('a', at(0))
  expect(await tick('a', at(5))).toBe(true)
  expect(await clock()).toEqual([{ driver: 'a', lease_until: at(20), last_tick_at: at(5) }])
  expect(await tick('b', at(19))).toBe(false)
})

test('RULINGS 8: called with no arguments it is pg_cron, whose lease is 150 s, by the clock of the database', async () => {
  const { rows } = await pool.query('select * from freshet.tick()')
  expect(rows).toEqual([{ drives: true, claimed: 0 }])
  const { rows: left } = await pool.query(
    'select driver, lease_until - last_tick_at as lease, last_tick_at <= now() as is_past from freshet.clock',
  )
  expect(left).toEqual([{ driver: 'pg_cron', lease: { minutes: 2, seconds: 30 }, is_past: true }])
})

test('RULINGS 8: pg_cron takes the clock back from a worker whose lease runs', async () => {
  await tick('worker a:1', at(0))
  expect(await tick('pg_cron', at(1), 150)).toBe(true)
  expect(await clock()).toEqual([{ driver: 'pg_cron', lease_until: at(151), last_tick_at: at(1) }])
  expect(await tick('worker a:1', at(5))).toBe(false)
})

test('RULINGS 8: a worker takes over from pg_cron after 150 s, not before, and an alert says so until pg_cron is back', async () => {
  await tick('pg_cron', at(0), 150)
  expect(await tick('worker a:1', at(149))).toBe(false)
  expect(await openAlerts()).toEqual([])
  expect(await tick('worker a:1', at(150))).toBe(true)
  const alert = {
    kind: 'CLOCK_TAKEN_OVER',
    message: 'pg_cron stopped calling freshet.tick(); worker a:1 drives the schedules.',
  }
  expect(await openAlerts()).toEqual([alert])
  expect(await tick('worker a:1', at(155))).toBe(true)
  expect(await openAlerts()).toEqual([alert])
  await tick('pg_cron', at(160), 150)
  expect(await openAlerts()).toEqual([])
})

test('one worker that follows another is no alert', async () => {
  await tick('worker a:1', at(0))
  await tick('worker b:1', at(15))
  expect(await openAlerts()).toEqual([])
})

test('FAULTS R14: a lease from before the clock was set back is not waited for', async () => {
  await tick('worker a:1', at(3600))
  expect(await tick('worker b:1', at(3540))).toBe(false)
  expect(await tick('worker b:1', at(3539))).toBe(true)
})

test('run events that cannot be placed undo nothing of what the beat tells', async () => {
  await using own = await cloneDatabase()
  const late = "select freshet.raise_alert('CLOCK_LATE', 'P1', 'clock', 'clock:late', 'The clock is late.', '{}', $1)"
  await own.pool.query(late, [at(0)])
  await own.pool.query("delete from pgboss.job where name = 'notify'")
  const failing = `create or replace function freshet.place_run_events(
    p_run_ids bigint[] default null, p_max_rows integer default 1000
  ) returns table (last_position bigint, placed integer)
  language plpgsql as $$ begin raise exception 'no place'; end $$`
  await own.pool.query(failing)
  const { rows } = await own.pool.query("select drives from freshet.tick('a', '15 seconds', $1)", [at(60)])
  expect(rows).toEqual([{ drives: true }])
  const { rows: told } = await own.pool.query(
    `select resolved_at, (select count(*)::int from pgboss.job where name = 'notify') as jobs
     from freshet.alerts where dedupe_key = 'clock:late'`,
  )
  expect(told).toEqual([{ resolved_at: at(60), jobs: 1 }])
})

test.each([
  ['a backlog of run events is placed in one beat', 2_001, 0],
  ['a beat places at most 20,000 run events, and leaves the rest to the next', 20_001, 1],
])('%s', async (_name, backlog, left) => {
  await using own = await cloneDatabase()
  const { id } = await startRun(own.pool)
  await own.pool.query('select freshet.place_run_events()')
  const fill = `insert into freshet.run_events (run_id, number, attempt, at, kind, stage)
    select $1, 1 + n, 1, $2, 'STAGE', 'stage' from generate_series(1, $3::int) n`
  await own.pool.query(fill, [id, at(0), backlog])
  const unplaced = async () => (await own.pool.query('select from freshet.run_events where position is null')).rowCount
  expect(await unplaced()).toBe(backlog)
  await own.pool.query("select freshet.tick('a', '15 seconds', $1)", [at(60)])
  expect(await unplaced()).toBe(left)
  await own.pool.query("select freshet.tick('a', '15 seconds', $1)", [at(65)])
  expect(await unplaced()).toBe(0)
})

test('of eight that tick at once exactly one drives', async () => {
  await tick('gone', at(0))
  const drives = await Promise.all(Array.from({ length: 8 }, (_, index) => tick(`worker-${index}`, at(20))))
  expect(drives.filter(Boolean)).toHaveLength(1)
  expect(await clock()).toEqual([
    { driver: `worker-${drives.indexOf(true)}`, lease_until: at(35), last_tick_at: at(20) },
  ])
})

test('a driver that stops lets its lease go, and only its own', async () => {
  await tick('a', at(0))
  await pool.query('select freshet.release_clock($1, $2)', ['b', at(3)])
  expect(await tick('b', at(4))).toBe(false)
  await pool.query('select freshet.release_clock($1, $2)', ['a', at(5)])
  expect(await tick('b', at(5))).toBe(true)
})

test('there is one clock and no second', async () => {
  await expect(pool.query('insert into freshet.clock default values')).rejects.toMatchObject({
    constraint: 'clock_pkey',
  })
  await expect(pool.query('insert into freshet.clock (is_only) values (false)')).rejects.toMatchObject({
    constraint: 'there_is_one_clock',
  })
})

test.each(['infinity', '2126-01-01T00:00:00Z'])(
  'a lease until %s that nobody beats for is taken over after three minutes',
  async (lease) => {
    await pool.query("update freshet.clock set driver = 'a', lease_until = $1, last_tick_at = $2", [lease, at(0)])
    expect(await tick('b', at(180))).toBe(false)
    expect(await tick('b', at(181))).toBe(true)
    await pool.query("update freshet.clock set driver = 'a', lease_until = $1, last_tick_at = null", [lease])
    expect(await tick('b', at(0))).toBe(true)
  },
)

test('a lease of a day that nobody beats for is waited for, of a second more it is not', async () => {
  const now = at(181)
  const leaseOf = (seconds: number) =>
    pool.query('update freshet.clock set driver = $1, lease_until = $2, last_tick_at = $3', [
      'a',
      new Date(now.getTime() + seconds * 1000),
      at(0),
    ])
  await leaseOf(86_400)
  expect(await tick('b', now)).toBe(false)
  await leaseOf(86_401)
  expect(await tick('b', now)).toBe(true)
})

test('an alert that nobody listened to is placed by the clock, so that it can be pruned one day', async () => {
  const raise = "select freshet.raise_alert('TRIAL', 'P3', 'trial', 'trial', 'Look.', null, $1)"
  await pool.query(raise, [at(0)])
  await pool.query("select freshet.resolve_alert('trial', $1)", [at(0)])
  await tick('a', at(1))
  expect((await pool.query('select from freshet.alert_news where position is null')).rowCount).toBe(0)
  const prune = "select freshet.prune_alerts('90 days', $1, 10) as count"
  expect((await pool.query(prune, [new Date(at(0).getTime() + 91 * 86_400_000)])).rows).toEqual([{ count: 1 }])
})

test('where the queue notify is missing, what waits to be delivered undoes nothing of what the beat tells', async () => {
  await using own = await cloneDatabase()
  const late = "select freshet.raise_alert('CLOCK_LATE', 'P1', 'clock', 'clock:late', 'The clock is late.', '{}', $1)"
  await own.pool.query(late, [at(0)])
  await own.pool.query("delete from pgboss.job where name = 'notify'; delete from pgboss.queue where name = 'notify'")
  await own.pool.query("select freshet.tick('a', '15 seconds', $1)", [at(60)])
  const { rows } = await own.pool.query("select resolved_at from freshet.alerts where dedupe_key = 'clock:late'")
  expect(rows).toEqual([{ resolved_at: at(60) }])
})
