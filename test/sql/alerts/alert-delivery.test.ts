import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { clearAlerts, countJobs, raise, resolve } from '../../support/alerts.ts'
import { at } from '../../support/moment.ts'
import { until } from '../../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
beforeEach(() => clearAlerts(pool))

type Claim = {
  outcome: string
  wait_seconds: number | null
  alerts: { id: string; severity: string; newsIds: string[]; isEscalated: boolean }[] | null
}
const claim = async (jobId: string, now: Date, maxRows = 1000): Promise<Claim> =>
  (await pool.query<Claim>('select * from freshet.claim_alerts($1, $2, p_max_rows => $3)', [jobId, now, maxRows]))
    .rows[0]!
const settle = (claimed: Claim, now: Date | null) =>
  pool.query('select freshet.settle_alerts($1::bigint[], $2, $3)', [
    claimed.alerts!.flatMap(({ newsIds }) => newsIds),
    now !== null,
    now ?? at(0),
  ])
const jobIds = async () =>
  (
    await pool.query<{ id: string }>("select id from pgboss.job where name = 'notify' order by created_on, id")
  ).rows.map(({ id }) => id)
const setState = (id: string, state: string) =>
  pool.query("update pgboss.job set state = $2::pgboss.job_state where name = 'notify' and id = $1", [id, state])
const place = async () =>
  Number((await pool.query<{ last: string }>('select freshet.place_alert_news() as last')).rows[0]!.last)
const wake = async (now: Date) =>
  (await pool.query<{ woken: boolean }>('select freshet.wake_notify($1) as woken', [now])).rows[0]!.woken
const news = async () =>
  (await pool.query('select is_pending, delivered_at, delivery_error from freshet.alert_news order by id')).rows

test('a job gets all that waits, the most severe first, then nothing', async () => {
  for (const severity of ['P3', 'P1', 'P2'] as const) await raise(pool, { severity, key: severity })
  const [job = ''] = await jobIds()
  const claimed = await claim(job, at(0))
  expect([claimed.outcome, claimed.alerts!.map(({ severity }) => severity)]).toEqual(['DELIVER', ['P1', 'P2', 'P3']])
  await settle(claimed, at(1))
  expect(await news()).toEqual([1, 2, 3].map(() => ({ is_pending: false, delivered_at: at(1), delivery_error: null })))
  expect(await claim(job, at(2))).toEqual({ outcome: 'NOTHING', wait_seconds: null, alerts: null })
})

test('no more than the given number of alerts is handed out at once, and none is forgotten', async () => {
  for (const key of ['a', 'b', 'c']) await raise(pool, { key })
  const [job = ''] = await jobIds()
  const first = await claim(job, at(0), 2)
  await settle(first, at(0))
  const second = await claim(job, at(1), 2)
  expect([first.alerts!.length, second.alerts!.length]).toEqual([2, 1])
})

test('issue 4 §4: one message a second: 999 ms after one the job waits, 1000 ms after it delivers', async () => {
  await raise(pool, { key: 'a' })
  const [job = ''] = await jobIds()
  await settle(await claim(job, at(0)), at(0))
  await raise(pool, { key: 'b' })
  expect(await claim(job, new Date(at(1).getTime() - 1))).toEqual({ outcome: 'WAIT', wait_seconds: 1, alerts: null })
  expect((await claim(job, at(1))).outcome).toBe('DELIVER')
})

test('a receiver that asked for time gets it, from every job', async () => {
  await raise(pool)
  await pool.query('select freshet.put_off_alerts($1, $2)', ['30 seconds', at(0)])
  await pool.query('select freshet.put_off_alerts($1, $2)', ['20 seconds', at(0)])
  const [job = ''] = await jobIds()
  expect(await claim(job, at(0))).toEqual({ outcome: 'WAIT', wait_seconds: 30, alerts: null })
  expect((await claim(job, at(30))).outcome).toBe('DELIVER')
})

test('a worker without a receiver leaves what waits to one that delivered within 7 days, and settles it after them', async () => {
  const claimWithout = async (now: Date) =>
    (await pool.query<Claim>('select * from freshet.claim_alerts($1, $2, false)', [(await jobIds())[0], now])).rows[0]!
  await raise(pool, { key: 'a' })
  const [job = ''] = await jobIds()
  await settle(await claim(job, at(0)), at(0))
  await raise(pool, { key: 'b' })
  const week = 7 * 86_400
  expect(await claimWithout(at(week - 1))).toEqual({ outcome: 'ELSEWHERE', wait_seconds: null, alerts: null })
  expect((await claim((await jobIds())[1]!, at(week - 1))).alerts).toHaveLength(1)
  expect((await claimWithout(at(week))).outcome).toBe('SERVED')
  await setState((await jobIds())[1]!, 'completed')
  expect((await claimWithout(at(week))).outcome).toBe('DELIVER')
})

test.each(['created', 'retry', 'active'])('while the job at work is %s others have nothing to do', async (state) => {
  await raise(pool, { key: 'a' })
  await raise(pool, { key: 'b' })
  const [first = '', second = ''] = await jobIds()
  await claim(first, at(0))
  await setState(first, state)
  expect(await claim(second, at(5))).toEqual({ outcome: 'SERVED', wait_seconds: null, alerts: null })
  expect((await claim(first, at(5))).alerts).toHaveLength(2)
})

test.each(['completed', 'cancelled', 'failed'])('a job that is %s is followed by the next', async (state) => {
  await raise(pool, { key: 'a' })
  await raise(pool, { key: 'b' })
  const [first = '', second = ''] = await jobIds()
  await claim(first, at(0))
  await setState(first, state)
  expect((await claim(second, at(5))).outcome).toBe('DELIVER')
})

test('what is raised while a message is under way goes into the next one', async () => {
  const id = await raise(pool, { severity: 'P3' })
  const [job = ''] = await jobIds()
  const first = await claim(job, at(0))
  await raise(pool, { severity: 'P1' })
  await settle(first, at(0))
  const second = await claim(job, at(1))
  expect(second.alerts!.map(({ id, severity, isEscalated }) => ({ id, severity, isEscalated }))).toEqual([
    { id, severity: 'P1', isEscalated: true },
  ])
})

test('an alert that became more severe before it was delivered is told once, with its worst severity', async () => {
  await raise(pool, { severity: 'P3' })
  await raise(pool, { severity: 'P1' })
  const [job = ''] = await jobIds()
  const claimed = await claim(job, at(0))
  expect(claimed.alerts!.map(({ severity, newsIds }) => [severity, newsIds.length])).toEqual([['P1', 2]])
})

test('an alert that is resolved before it was delivered is not delivered', async () => {
  await raise(pool)
  await resolve(pool, 'feed:1', at(1))
  const [job = ''] = await jobIds()
  expect((await claim(job, at(2))).outcome).toBe('NOTHING')
  expect(await news()).toEqual([{ is_pending: false, delivered_at: null, delivery_error: null }])
})

test('eight jobs at once: one delivers', async () => {
  for (let index = 0; index < 8; index++) await raise(pool, { key: `feed:${index}` })
  const claims = await Promise.all((await jobIds()).map((id) => claim(id, at(0))))
  expect(claims.map(({ outcome }) => outcome).toSorted()).toEqual(['DELIVER', ...Array<string>(7).fill('SERVED')])
})

test('R14: after a clock that ran ahead is set right, nobody waits for the moment that it noted', async () => {
  await raise(pool)
  const [job = ''] = await jobIds()
  await pool.query('select freshet.put_off_alerts($1, $2)', ['1 hour', at(0)])
  expect(await claim(job, at(0))).toEqual({ outcome: 'WAIT', wait_seconds: 3600, alerts: null })
  const claimed = await claim(job, at(-1))
  expect(claimed.outcome).toBe('DELIVER')
  expect(await claim(job, at(-1))).toEqual({ outcome: 'WAIT', wait_seconds: 1, alerts: null })

  await setState(job, 'failed')
  await pool.query("select freshet.fail_alert_delivery($1, 'Slack answered 500.', $2)", [job, at(1)])
  expect(await wake(at(1))).toBe(false)
  expect(await wake(at(0))).toBe(true)
})

test('the clock wakes delivery when alerts wait and no job is left, and only then', async () => {
  expect(await wake(at(0))).toBe(false)
  await raise(pool)
  expect(await wake(at(0))).toBe(false)
  await setState((await jobIds())[0]!, 'cancelled')
  await pool.query("select freshet.tick('worker', interval '15 seconds', $1)", [at(0)])
  expect(await countJobs(pool)).toBe(2)
  expect(await wake(at(0))).toBe(false)
})

test('a job that gave up says why on what waits, and another tries 60 minutes later, not 59', async () => {
  await raise(pool)
  const job = (await jobIds())[0]!
  await claim(job, at(0))
  await setState(job, 'failed')
  await pool.query('select freshet.fail_alert_delivery($1, $2, $3)', [job, 'Slack answered 500.', at(0)])
  expect(await news()).toEqual([{ is_pending: true, delivered_at: null, delivery_error: 'Slack answered 500.' }])
  expect(await wake(new Date(at(3600).getTime() - 1))).toBe(false)
  expect(await wake(at(3600))).toBe(true)
  const next = (await jobIds())[1]!
  await settle(await claim(next, at(3600)), at(3600))
  expect(await news()).toEqual([{ is_pending: false, delivered_at: at(3600), delivery_error: null }])
})

test('a job that gave up says so only on what waits', async () => {
  await raise(pool, { key: 'a' })
  const [job = ''] = await jobIds()
  await settle(await claim(job, at(0)), at(0))
  await raise(pool, { key: 'b' })
  const waiting = await pool.query("select freshet.fail_alert_delivery($1, 'Slack answered 500.', $2) as count", [
    job,
    at(1),
  ])
  expect(waiting.rows).toEqual([{ count: 1 }])
  expect((await news()).map(({ delivery_error }) => delivery_error)).toEqual([null, 'Slack answered 500.'])
})

test('a job that gave up takes nothing from the one that delivers meanwhile', async () => {
  for (const key of ['a', 'b', 'c']) await raise(pool, { key })
  const [first = '', second = '', third = ''] = await jobIds()
  await claim(first, at(0))
  await setState(first, 'failed')
  expect((await claim(second, at(5))).outcome).toBe('DELIVER')
  await pool.query("select freshet.fail_alert_delivery($1, 'Slack answered 500.', $2)", [first, at(6)])
  expect((await claim(third, at(10))).outcome).toBe('SERVED')
})

test('what was delivered ends the hour that was waited for after a job gave up', async () => {
  await raise(pool, { key: 'a' })
  const [job = ''] = await jobIds()
  await pool.query("select freshet.fail_alert_delivery($1, 'Slack answered 500.', $2)", [job, at(0)])
  await settle(await claim(job, at(1)), at(1))
  await raise(pool, { key: 'b' })
  await pool.query("update pgboss.job set state = 'cancelled' where name = 'notify'")
  expect(await wake(at(2))).toBe(true)
})

test('what was delivered is delivered once, at its first moment', async () => {
  await raise(pool)
  const claimed = await claim((await jobIds())[0]!, at(0))
  expect((await settle(claimed, at(1))).rows).toEqual([{ settle_alerts: 1 }])
  expect((await settle(claimed, at(2))).rows).toEqual([{ settle_alerts: 0 }])
  expect(await news()).toMatchObject([{ delivered_at: at(1) }])
})

test.each(['created', 'retry', 'active'])('while a job is %s the clock wakes no other', async (state) => {
  await raise(pool)
  await setState((await jobIds())[0]!, state)
  expect(await wake(at(0))).toBe(false)
  expect(await countJobs(pool)).toBe(1)
})

test('RULINGS 4: news get their places after commit, so a late commit comes behind what was read before', async () => {
  const before = await place()
  const client = await pool.connect()
  await client.query('begin')
  const late = await raise(client, { key: 'late' })
  const early = await raise(pool, { key: 'early' })
  expect(await place()).toBe(before + 1)
  await client.query('commit')
  client.release()
  expect(await place()).toBe(before + 2)
  const { rows } = await pool.query<{ alert_id: string; position: string }>(
    'select alert_id, position from freshet.alert_news order by position',
  )
  expect(rows).toEqual([
    { alert_id: early, position: String(before + 1) },
    { alert_id: late, position: String(before + 2) },
  ])
})

test('eight who place at once give each place once, without a gap', async () => {
  const before = await place()
  for (let index = 0; index < 20; index++) await raise(pool, { key: `feed:${index}` })
  await Promise.all(Array.from({ length: 8 }, place))
  const { rows } = await pool.query<{ position: string }>('select position from freshet.alert_news order by position')
  expect(rows.map(({ position }) => Number(position))).toEqual(Array.from({ length: 20 }, (_, i) => before + 1 + i))
})

test('RULINGS 4: two who place at once: the second waits for the first, gives no place twice and leaves none out', async () => {
  const before = await place()
  for (const key of ['a', 'b']) await raise(pool, { key })
  const first = await pool.connect()
  await first.query('begin')
  await first.query('select freshet.place_alert_news()')
  const second = place()
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%place_alert_news%'"
  await until('the second waits', async () => (await pool.query(waits)).rowCount === 1)
  await first.query('commit')
  first.release()
  expect(await second).toBe(before + 2)
  await raise(pool, { key: 'c' })
  expect(await place()).toBe(before + 3)
})

test('while a job waits for its second, others have nothing to do', async () => {
  await raise(pool, { key: 'a' })
  const [first = ''] = await jobIds()
  await settle(await claim(first, at(0)), at(0))
  await raise(pool, { key: 'b' })
  expect((await claim(first, at(0.5))).outcome).toBe('WAIT')
  expect((await claim((await jobIds())[1]!, at(2))).outcome).toBe('SERVED')
})

test('of more alerts than are handed out at once the most severe go first, whenever they were raised', async () => {
  for (const severity of ['P3', 'P2', 'P1'] as const) await raise(pool, { severity, key: severity })
  const claimed = await claim((await jobIds())[0]!, at(0), 2)
  expect(claimed.alerts!.map(({ severity }) => severity)).toEqual(['P1', 'P2'])
})
