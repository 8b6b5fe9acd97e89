import { TestClock } from 'pg-boss'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { notify } from '../../src/jobs/notify.ts'
import { clearAlerts, raise } from '../support/alerts.ts'
import { cloneDatabase } from '../support/database.ts'
import { advance, openJobs } from '../support/jobs.ts'
import { slackReplies, startSlack, webhookSecret } from '../support/slack.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
beforeEach(() => clearAlerts(pool))

/** The queue with Slack on loopback; on a clock that the test drives where it says so. */
async function setup({
  clock,
  withSlack = true,
  now,
}: { clock?: TestClock; withSlack?: boolean; now?: () => Date } = {}) {
  await using starting = new AsyncDisposableStack()
  const slack = starting.use(await startSlack())
  const env = withSlack ? { SLACK_WEBHOOK_URL: slack.url } : {}
  const jobs = starting.use(await openJobs(database, [notify], { env, clock, now }))
  if (clock) starting.use(await jobs.work([])) // whoever works the queue brings the clock into the database
  const stack = starting.move()
  return {
    slack,
    jobs,
    deliver: () => jobs.perform(notify, {}),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
const outputs = async () =>
  (await pool.query<{ output: object }>("select output from pgboss.job where name = 'notify'")).rows.map(
    ({ output }) => output,
  )
const news = async () =>
  (
    await pool.query<{ is_pending: boolean; is_delivered: boolean; delivery_error: string | null }>(
      'select is_pending, delivered_at is not null as is_delivered, delivery_error from freshet.alert_news order by id',
    )
  ).rows

test('issue 4 §4: 500 alerts raised at once are one message, and 500 jobs end as done', async () => {
  await using stand = await setup()
  await pool.query(
    "select freshet.raise_alert('RUN_FAILED', 'P2', 'feed ' || n, 'feed:' || n, 'It failed.', '{}', now()) from generate_series(1, 500) n",
  )
  expect(await stand.jobs.drain(notify)).toEqual(Array<string>(500).fill('done'))
  expect(stand.slack.messages).toHaveLength(1)
  expect(stand.slack.messages[0]!.text).toContain('and 490 more: 490 × P2 RUN_FAILED.')
  expect((await news()).every(({ is_pending, is_delivered }) => !is_pending && is_delivered)).toBe(true)
})

test('without SLACK_WEBHOOK_URL the job is done and says so; nothing is left to be sent later', async () => {
  await using stand = await setup({ withSlack: false })
  await raise(pool)
  expect(await stand.jobs.drain(notify)).toEqual(['done'])
  const reason = 'SLACK_WEBHOOK_URL is not set: alerts are shown in the API only.'
  expect(await outputs()).toEqual([{ delivered: 0, reason }])
  expect(await news()).toEqual([{ is_pending: false, is_delivered: false, delivery_error: null }])
})

test('a worker without SLACK_WEBHOOK_URL puts the job back for 30 s while another one delivered lately', async () => {
  await using other = await setup()
  await raise(pool, { key: 'a' })
  expect(await other.jobs.drain(notify)).toEqual(['done'])
  await using stand = await setup({ withSlack: false })
  await raise(pool, { key: 'b' })
  expect(await stand.deliver()).toMatchObject({
    kind: 'snoozed',
    seconds: 30,
    reason: expect.stringContaining('Give all workers the same address.'),
  })
  expect((await news()).map(({ is_pending }) => is_pending)).toEqual([false, true])
})

test('the pace goes by the clock of the database: a worker an hour ahead puts nobody off', async () => {
  await using ahead = await setup({ now: () => new Date(Date.now() + 3_600_000) })
  await raise(pool, { key: 'a' })
  expect(await ahead.deliver()).toEqual({ kind: 'done', output: { delivered: 1 } })
  const { rows } = await pool.query<{ in_time: boolean }>(
    "select free_at < now() + interval '2 seconds' as in_time from freshet.alert_stream",
  )
  expect(rows).toEqual([{ in_time: true }])
})

test('a 429 puts the job back for as long as Slack asks: 29 s later it still waits, 30 s later it delivers', async () => {
  const clock = new TestClock()
  await using stand = await setup({ clock })
  stand.slack.replies.push(slackReplies.busy)
  await raise(pool)
  expect(await stand.deliver()).toEqual({ kind: 'snoozed', seconds: 30, reason: 'Slack asked to wait 30 s.' })
  await advance(clock, 29)
  expect(await stand.deliver()).toMatchObject({ kind: 'snoozed', seconds: 1 })
  expect(stand.slack.messages).toHaveLength(1)
  await advance(clock, 1)
  expect(await stand.deliver()).toEqual({ kind: 'done', output: { delivered: 1 } })
  expect(stand.slack.messages).toHaveLength(2)
})

test('an alert raised within the same second is put back, and sent in the next one', async () => {
  const clock = new TestClock()
  await using stand = await setup({ clock })
  await raise(pool, { key: 'a' })
  expect(await stand.deliver()).toEqual({ kind: 'done', output: { delivered: 1 } })
  await raise(pool, { key: 'b' })
  const reason = 'Slack takes one message a second.'
  expect(await stand.deliver()).toEqual({ kind: 'snoozed', seconds: 1, reason })
  await advance(clock, 1)
  expect(await stand.deliver()).toEqual({ kind: 'done', output: { delivered: 1 } })
  expect(stand.slack.messages).toHaveLength(2)
})

test('a failing Slack is tried six times, after 5, 15, 60, 300 and 300 s', async () => {
  expect(notify.options.retryDelays).toEqual([5, 15, 60, 300, 300])
  await using stand = await setup()
  stand.slack.replies.push(slackReplies.broken)
  await raise(pool)
  expect(await stand.deliver()).toMatchObject({
    kind: 'retried',
    waitSeconds: 5,
    failure: { code: 'SLACK_UNAVAILABLE' },
  })
  expect(await news()).toEqual([{ is_pending: true, is_delivered: false, delivery_error: null }])
})

test('a webhook that is gone fails at once with what to do; what waits says why and goes with the next message', async () => {
  await using stand = await setup()
  stand.slack.replies.push(slackReplies.gone)
  await raise(pool, { key: 'a' })
  expect(await stand.jobs.drain(notify)).toEqual(['failed'])
  const why = 'Slack answered 404 (no_service). The webhook is gone, or its channel is closed to it.'
  expect(await outputs()).toMatchObject([
    { code: 'SLACK_WEBHOOK_GONE', message: why, hint: expect.stringContaining('Make a new incoming webhook in Slack') },
  ])
  expect(await news()).toEqual([{ is_pending: true, is_delivered: false, delivery_error: why }])
  await pool.query('update freshet.alert_stream set free_at = null')
  await raise(pool, { key: 'b' })
  expect(await stand.jobs.drain(notify)).toEqual(['done'])
  expect(stand.slack.messages[1]!.text.match(/RUN_FAILED/g)).toHaveLength(2)
  expect((await news()).map(({ is_delivered }) => is_delivered)).toEqual([true, true])
})

const everything = `select
  (select jsonb_agg(to_jsonb(j)) from pgboss.job j where name like 'notify%') as jobs,
  (select jsonb_agg(to_jsonb(n)) from freshet.alert_news n) as news`

test('S13: the address of the webhook is in no log line, job or alert, whatever goes wrong', async () => {
  await using stand = await setup()
  const { broken, gone, busy, archived, invalid } = slackReplies
  const echo = { status: 400, body: `/services/${webhookSecret}` }
  const redirect = { status: 302, headers: { location: stand.slack.url } }
  const cut = (response: { destroy(): unknown }) => void response.destroy()
  for (const reply of [broken, gone, busy, archived, invalid, echo, redirect, cut]) {
    stand.slack.replies.push(reply)
    await raise(pool)
    expect(await stand.jobs.drain(notify)).toHaveLength(1)
    const { rows } = await pool.query(everything)
    expect(rows).toEqual([{ jobs: expect.any(Array) as unknown, news: [expect.anything()] }])
    expect(JSON.stringify(rows)).not.toContain('SECRET')
    await clearAlerts(pool) // what is tried again later would else come between
  }
  expect(stand.slack.messages).toHaveLength(8)
  expect(stand.jobs.log.length).toBeGreaterThan(8)
  expect(stand.jobs.log.join('\n')).not.toContain('SECRET')
})

test('S2 §15.2: while Slack does not answer, whoever raises an alert waits for nothing', async () => {
  await using stand = await setup()
  const asked = Promise.withResolvers<void>()
  stand.slack.replies.push(() => asked.resolve())
  await raise(pool)
  const delivering = stand.deliver()
  await asked.promise
  const started = performance.now()
  await raise(pool)
  await raise(pool, { severity: 'P1' })
  await raise(pool, { key: 'feed:2' })
  expect(performance.now() - started).toBeLessThan(1000)
  await stand.slack[Symbol.asyncDispose]()
  expect(await delivering).toMatchObject({ kind: 'retried' })
})

test('every log line of the job carries its queue and job', async () => {
  await using stand = await setup()
  await raise(pool)
  await stand.jobs.drain(notify)
  const lines = stand.jobs.log.map((line) => JSON.parse(line) as { msg: string; queue?: string; jobId?: string })
  const { rows } = await pool.query<{ id: string }>("select id from pgboss.job where name = 'notify'")
  const sent = lines.filter(({ msg }) => msg === 'alerts were delivered to Slack')
  expect(sent.map(({ queue, jobId }) => ({ queue, jobId }))).toEqual([{ queue: 'notify', jobId: rows[0]!.id }])
})
