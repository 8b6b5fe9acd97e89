import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { makeJob, makeQueue } from '../../support/queue.ts'
import { aSchedule, trialQueue } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
for (const queue of [trialQueue, 'other']) await makeQueue(pool, queue)

const tick = async (now: Date) => (await pool.query('select * from freshet.tick(p_now => $1)', [now])).rows[0]
const jobs = async () =>
  (
    await pool.query<{ name: string; data: object; key: string }>(
      'select name, data, singleton_key as key from pgboss.job where name = any($1) order by created_on, id',
      [[trialQueue, 'other']],
    )
  ).rows
const schedule = async (id: string) =>
  (
    await pool.query<{
      next_run_at: Date | null
      last_run_at: Date | null
      is_enabled: boolean
      disabled_reason: string
    }>('select next_run_at, last_run_at, is_enabled, disabled_reason from freshet.schedules where id = $1', [id])
  ).rows[0]!
const openAlerts = async () =>
  (
    await pool.query(
      'select kind, severity, subject, dedupe_key, message, details from freshet.alerts where resolved_at is null',
    )
  ).rows

/** As when a zone was renamed by an update of the server's time zones. */
const loseTimeZone = (id: string) =>
  pool.query(`alter table freshet.schedules disable trigger user;
    update freshet.schedules set time_zone = 'Mars/Base' where id = ${id};
    alter table freshet.schedules enable trigger user`)

beforeEach(async () => {
  await pool.query('delete from freshet.schedules; delete from pgboss.job; delete from freshet.alerts')
  await pool.query('update freshet.clock set driver = null, lease_until = null, last_tick_at = null')
})

test('what is due is enqueued with its payload, its id and its due time, and due again a period later', async () => {
  const id = await aSchedule(pool, { next_run_at: at(0), payload: { feedId: '7' } })
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
  const data = { feedId: '7', scheduleId: id, trigger: 'SCHEDULED', dueAt: '2026-01-01T00:00:00.000Z' }
  expect(await jobs()).toEqual([{ name: trialQueue, data, key: `schedule:${id}` }])
  expect(await schedule(id)).toMatchObject({ next_run_at: at(60), last_run_at: at(0) })
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 0 })
})

test('nothing is enqueued a millisecond before it is due', async () => {
  await aSchedule(pool, { next_run_at: at(60) })
  expect(await tick(new Date(at(60).getTime() - 1))).toEqual({ drives: true, claimed: 0 })
  expect(await tick(at(60))).toEqual({ drives: true, claimed: 1 })
})

test('issue 4 §2: after a downtime there is one run, and the period keeps its phase', async () => {
  const id = await aSchedule(pool, { period_seconds: 300, next_run_at: at(7) })
  expect(await tick(at(86_400))).toEqual({ drives: true, claimed: 1 })
  expect(await schedule(id)).toMatchObject({ next_run_at: at(86_407), last_run_at: at(86_400) })
  expect(await tick(at(86_407))).toEqual({ drives: true, claimed: 1 })
  expect(await schedule(id)).toMatchObject({ next_run_at: at(86_707) })
  expect((await jobs()).map(({ data }) => (data as { dueAt: string }).dueAt)).toEqual([
    '2026-01-01T00:00:07.000Z',
    '2026-01-02T00:00:07.000Z',
  ])
})

test.each([
  [359, 360],
  [360, 420],
])('a period of 60 s that was due at 0 and is claimed at %i s is due next at %i s', async (claimed, next) => {
  const id = await aSchedule(pool, { next_run_at: at(0) })
  await tick(at(claimed))
  expect(await schedule(id)).toMatchObject({ next_run_at: at(next) })
})

test('issue 4 §2: after a downtime a cron expression is run once, and is due next at its next time', async () => {
  const id = await aSchedule(pool, { cron: '30 4 * * *', time_zone: 'Europe/Berlin', next_run_at: at(0) })
  expect(await tick(at(5 * 86_400))).toEqual({ drives: true, claimed: 1 })
  expect(await schedule(id)).toMatchObject({ next_run_at: new Date('2026-01-06T03:30:00Z') })
})

test('a schedule that no trigger planned gets its first time at a beat', async () => {
  const period = await aSchedule(pool)
  const cron = await aSchedule(pool, { cron: '0 * * * *' })
  await pool.query('update freshet.schedules set next_run_at = null')
  expect(await tick(at(1))).toEqual({ drives: true, claimed: 0 })
  expect(await schedule(period)).toMatchObject({ next_run_at: at(61), last_run_at: null })
  expect(await schedule(cron)).toMatchObject({ next_run_at: at(3600), last_run_at: null })
})

test('a disabled schedule is never due', async () => {
  const id = await aSchedule(pool, { is_enabled: false })
  await pool.query('update freshet.schedules set next_run_at = $1', [at(0)])
  expect(await tick(at(60))).toEqual({ drives: true, claimed: 0 })
  expect(await schedule(id)).toMatchObject({ next_run_at: at(0), last_run_at: null })
})

test('schedules of many queues are claimed at one beat', async () => {
  for (const queue of [trialQueue, 'other', trialQueue]) await aSchedule(pool, { next_run_at: at(0), queue })
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 3 })
  expect((await jobs()).map(({ name }) => name).toSorted()).toEqual(['other', trialQueue, trialQueue])
})

test('a schedule that somebody is changing is left for the next beat, and holds up no other', async () => {
  const held = await aSchedule(pool, { next_run_at: at(0) })
  await aSchedule(pool, { next_run_at: at(0) })
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from freshet.schedules where id = $1 for no key update', [held])
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
  await holder.query('rollback')
  holder.release()
  expect(await tick(at(5))).toEqual({ drives: true, claimed: 1 })
})

test('an unplanned schedule that somebody is changing is left for the next beat, and holds up no other', async () => {
  const held = await aSchedule(pool)
  await pool.query('update freshet.schedules set next_run_at = null')
  await aSchedule(pool, { next_run_at: at(0) })
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from freshet.schedules where id = $1 for no key update', [held])
  const beat = "set local statement_timeout = '3s'; select claimed from freshet.tick(p_now => '2026-01-01Z')"
  const answers = (await pool.query(beat).finally(() => holder.query('rollback'))) as unknown as { rows: object[] }[]
  holder.release()
  expect(answers.at(-1)?.rows).toEqual([{ claimed: 1 }])
  await tick(at(5))
  expect((await schedule(held)).next_run_at).toEqual(at(65))
})

test('a run that is being recorded does not hide its schedule from the clock', async () => {
  const id = await aSchedule(pool, { next_run_at: at(0) })
  const recorder = await pool.connect()
  await recorder.query('begin')
  await recorder.query(
    'insert into freshet.schedule_runs (schedule_id, job_id, started_at) values ($1, gen_random_uuid(), now())',
    [id],
  )
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
  await recorder.query('rollback')
  recorder.release()
})

test('while another driver holds the clock nothing is claimed', async () => {
  await aSchedule(pool, { next_run_at: at(0) })
  await pool.query('update freshet.clock set driver = $1, lease_until = $2', ['another', at(60)])
  const { rows } = await pool.query("select * from freshet.tick('worker', '15 seconds', $1)", [at(30)])
  expect(rows).toEqual([{ drives: false, claimed: 0 }])
  expect(await jobs()).toEqual([])
})

test('a claim that is rolled back leaves no job, and the schedule due', async () => {
  await aSchedule(pool, { next_run_at: at(0) })
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select freshet.tick(p_now => $1)', [at(0)])
  await client.query('rollback')
  client.release()
  expect(await jobs()).toEqual([])
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
})

test('RULINGS 7: a schedule with an unknown queue is disabled with its reason, the others run, and an alert says so', async () => {
  await makeQueue(pool, 'notify')
  const bad = await aSchedule(pool, { name: 'lost', queue: 'nowhere', next_run_at: at(0) })
  const good = await aSchedule(pool, { next_run_at: at(0) })
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
  expect(await jobs()).toMatchObject([{ data: { scheduleId: good } }])
  const reason = 'There is no queue "nowhere".'
  expect(await schedule(bad)).toEqual({
    next_run_at: null,
    last_run_at: null,
    is_enabled: false,
    disabled_reason: reason,
  })
  expect(await openAlerts()).toEqual([
    {
      kind: 'SCHEDULE_DISABLED',
      severity: 'P2',
      subject: 'lost',
      dedupe_key: `schedule:${bad}`,
      message: `The schedule lost was disabled: ${reason}`,
      details: { scheduleId: bad, reason },
    },
  ])
  expect(await tick(at(60))).toEqual({ drives: true, claimed: 1 })
})

test('RULINGS 7: an expression that went bad after it was stored is disabled with its reason', async () => {
  const id = await aSchedule(pool, { cron: '0 * * * *', next_run_at: at(0) })
  const good = await aSchedule(pool, { cron: '30 * * * *', next_run_at: at(0) })
  await pool.query('alter table freshet.schedules disable trigger user')
  await pool.query("update freshet.schedules set cron = '0 25 * * *' where id = $1", [id])
  await pool.query('alter table freshet.schedules enable trigger user')
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
  expect(await schedule(id)).toMatchObject({
    is_enabled: false,
    next_run_at: null,
    disabled_reason: expect.stringContaining('The cron expression "0 25 * * *" is refused at character 3') as unknown,
  })
  expect(await schedule(good)).toMatchObject({ is_enabled: true, next_run_at: at(1800) })
})

test('a fault that no schedule caused disables none of them: the beat fails and is tried again', async () => {
  const id = await aSchedule(pool, { next_run_at: at(0) })
  await pool.query('alter table pgboss.queue rename to queue_away')
  await expect(tick(at(0))).rejects.toMatchObject({ code: '42P01' })
  await pool.query('alter table pgboss.queue_away rename to queue')
  expect(await schedule(id)).toMatchObject({ is_enabled: true, next_run_at: at(0) })
  expect(await tick(at(5))).toEqual({ drives: true, claimed: 1 })
})

test.each([
  ['22023', true],
  ['23514', true],
  ['P0001', true],
  ['53100', false],
  ['40P01', false],
])('RULINGS 7: a job refused with %s is a reason to disable its schedule: %s', async (refusal, isItsOwn) => {
  // The table of jobs refuses what its payload tells it to, as a constraint or a trigger of somebody's would.
  await pool.query(`create function public.refuse() returns trigger language plpgsql as $$
      begin raise exception 'Not here.' using errcode = new.data ->> 'refusal'; end $$;
    create trigger refuse before insert on pgboss.job for each row when (new.data ? 'refusal') execute function public.refuse()`)
  const bad = await aSchedule(pool, { next_run_at: at(0), payload: { refusal } })
  const good = await aSchedule(pool, { next_run_at: at(0) })
  const beat = await tick(at(0)).catch((error: unknown) => error)
  await pool.query('drop function public.refuse cascade')
  expect(beat).toMatchObject(isItsOwn ? { drives: true, claimed: 1 } : { code: refusal })
  const disabled = { is_enabled: false, disabled_reason: 'Not here.' }
  expect(await schedule(bad)).toMatchObject(isItsOwn ? disabled : { is_enabled: true, next_run_at: at(0) })
  expect(await schedule(good)).toMatchObject({ is_enabled: true, next_run_at: at(isItsOwn ? 60 : 0) })
})

test('RULINGS 7: a time zone that vanished from under a schedule stops no other', async () => {
  const lost = await aSchedule(pool, { cron: '0 * * * *', next_run_at: at(0) })
  const good = await aSchedule(pool, { cron: '30 * * * *', next_run_at: at(0) })
  await loseTimeZone(lost)
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 1 })
  const disabled_reason = 'time zone "Mars/Base" not recognized'
  expect(await schedule(lost)).toMatchObject({ is_enabled: false, disabled_reason })
  expect(await schedule(good)).toMatchObject({ is_enabled: true, next_run_at: at(1800) })
})

test('eight ticks at once enqueue each due time once', async () => {
  await pool.query(
    "insert into freshet.schedules (name, kind, queue, period_seconds, next_run_at) select 'many ' || n, 'many ' || n, $1, 60, $2 from generate_series(1, 200) n",
    [trialQueue, at(0)],
  )
  const claimed = await Promise.all(Array.from({ length: 8 }, async () => (await tick(at(0))).claimed as number))
  expect(claimed.reduce((sum, count) => sum + count)).toBe(200)
  const { rows } = await pool.query(
    "select count(*)::int as jobs, count(distinct data ->> 'scheduleId')::int as schedules from pgboss.job where name = $1",
    [trialQueue],
  )
  expect(rows).toEqual([{ jobs: 200, schedules: 200 }])
})

const year = 365 * 86_400
const setBack = (seconds: number) => ({
  kind: 'CLOCK_SET_BACK',
  severity: 'P2',
  message: `The clock was set back by ${seconds} s; schedules may have run too early.`,
})

test('after a clock that ran a year ahead is set right, every schedule goes on from now', async () => {
  const period = await aSchedule(pool, { next_run_at: at(60) })
  const hourly = await aSchedule(pool, { cron: '0 * * * *', next_run_at: at(3_600) })
  const yearly = await aSchedule(pool, { cron: '0 0 1 7 *', next_run_at: new Date(Date.UTC(2027, 6, 1)) })
  await tick(at(year))
  expect((await schedule(period)).next_run_at).toEqual(at(year + 60))
  await tick(at(10))
  expect([(await schedule(period)).next_run_at, (await schedule(hourly)).next_run_at]).toEqual([at(70), at(3_600)])
  expect((await schedule(yearly)).next_run_at).toEqual(new Date(Date.UTC(2026, 6, 1)))
  expect(await openAlerts()).toMatchObject([setBack(year - 10)])
  expect(await tick(at(70))).toEqual({ drives: true, claimed: 1 })
  await tick(at(10 + 3_599))
  expect(await openAlerts()).toMatchObject([setBack(year - 10)])
  await tick(at(10 + 3_600))
  expect(await openAlerts()).toEqual([])
})

test('R14: a clock set back by an hour plans nothing anew, by a second more it does', async () => {
  const id = await aSchedule(pool, { next_run_at: at(7_200) })
  await tick(at(7_200))
  await tick(at(3_600))
  expect((await schedule(id)).next_run_at).toEqual(at(7_260))
  await pool.query('update freshet.clock set last_tick_at = $1', [at(7_200)])
  await tick(at(3_599))
  expect((await schedule(id)).next_run_at).toEqual(at(3_659))
})

test('a beat a minute ahead is no clock set back, a second more is', async () => {
  await tick(at(60))
  await tick(at(0))
  expect(await openAlerts()).toEqual([])
  await tick(at(61))
  await tick(at(0))
  expect(await openAlerts()).toMatchObject([setBack(61)])
})

test('a clock that is set right moves forward nothing that is due sooner than a new plan says', async () => {
  const sooner = await aSchedule(pool, { next_run_at: at(30) })
  const later = await aSchedule(pool, { next_run_at: at(61) })
  await pool.query('update freshet.clock set last_tick_at = $1', [at(7_200)])
  await tick(at(0))
  expect([(await schedule(sooner)).next_run_at, (await schedule(later)).next_run_at]).toEqual([at(30), at(60)])
})

test('a schedule that cannot be planned anew keeps none of the others in the future', async () => {
  const lost = await aSchedule(pool, { cron: '0 * * * *', next_run_at: at(year) })
  const good = await aSchedule(pool, { next_run_at: at(year) })
  await loseTimeZone(lost)
  await pool.query('update freshet.clock set last_tick_at = $1', [at(year)])
  expect(await tick(at(0))).toEqual({ drives: true, claimed: 0 })
  expect([(await schedule(lost)).next_run_at, (await schedule(good)).next_run_at]).toEqual([at(year), at(60)])
})

test.each(['created', 'retry', 'active'])(
  'what is run by hand while its one job is %s answers that job',
  async (state) => {
    await makeQueue(pool, 'one-at-a-time', 'exclusive')
    const id = await aSchedule(pool, { queue: 'one-at-a-time', is_enabled: false })
    const jobId = await makeJob(pool, 'one-at-a-time', { state, singleton_key: `schedule:${id}` })
    // Looking for the job in the way goes on until there is one.
    const run = "set local statement_timeout = '3s'; select freshet.run_schedule($1, now()) as id"
    const answers = (await pool.query(run.replace('$1', id))) as unknown as { rows: object[] }[]
    expect(answers.at(-1)?.rows).toEqual([{ id: jobId }])
  },
)
