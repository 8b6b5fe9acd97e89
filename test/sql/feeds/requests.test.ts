import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'
import { aSchedule } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())
const { pool } = feeds

type Payload = { trigger: string; request: number; feedId: string }

/** What waits in the queue, in the order it came. */
const waiting = async (): Promise<Payload[]> =>
  (
    await feeds.rowsOf<{ data: Payload }>(
      "select data from pgboss.job where name = 'feed-ingest' and state = 'created' order by created_on, id",
    )
  ).map(({ data }) => data)
/** A worker takes what waits; the lock is busy, so that it comes to nothing. */
const turnAway = () =>
  pool.query("update pgboss.job set state = 'completed', completed_on = now() where name = 'feed-ingest'")
const click = async (feed: FeedStand, isForced = false) =>
  (
    await feeds.rowsOf<{ request: string; job_id: string | null }>(
      'select * from freshet.request_feed_run($1, $2, $3)',
      feed.id,
      isForced,
      hour(0),
    )
  )[0]!
const admit = async (feed: FeedStand, request: number, jobId: string = randomUUID()) =>
  (
    await feeds.rowsOf<{ verdict: string; has_run: boolean }>(
      'select * from freshet.admit_feed_run($1, $2, $3)',
      feed.id,
      jobId,
      request,
    )
  )[0]!

beforeEach(() => pool.query("delete from pgboss.job where name = 'feed-ingest'"))

test('RULINGS 16: each click has a number, and one job that waits is enough for all of them', async () => {
  const feed = await feeds.aFeed()
  expect([(await click(feed)).request, (await click(feed)).request]).toEqual(['1', '2'])
  expect(await waiting()).toEqual([{ feedId: feed.id, trigger: 'MANUAL', request: 1 }])
})

test('RULINGS 16: ten clicks while a run is active make one follow-up, whatever the run comes to', async () => {
  for (const options of [{}, { fail: { code: 'X' } }, { skip: 'UNCHANGED_MTIME' as const }]) {
    const feed = await feeds.aFeed()
    const { jobId } = await feeds.run(feed, products(1), { dieAfter: 1 })
    for (let clicks = 0; clicks < 10; clicks++) {
      await click(feed)
      await turnAway()
    }
    const { id, attempt } = await ofJob(jobId)
    await end(id, attempt, options)
    expect(await waiting()).toEqual([{ feedId: feed.id, trigger: 'MANUAL_PENDING', request: 10 }])
    await feeds.run(feed, products(1), { at: 1, trigger: 'MANUAL_PENDING' })
    expect(await admit(feed, 10)).toMatchObject({ verdict: 'COVERED' })
    await turnAway()
  }
})

const ofJob = async (jobId: string) =>
  (
    await feeds.rowsOf<{ id: string; attempt: number }>('select id, attempt from freshet.runs where job_id = $1', jobId)
  )[0]!
const end = (id: string, attempt: number, options: { fail?: { code: string }; skip?: string }) => {
  if (options.fail) return feeds.callOf('fail_run', id, attempt, options.fail.code, 'It failed.', null, hour(0))
  if (options.skip) return feeds.callOf('skip_feed_run', id, attempt, options.skip, hour(0))
  return feeds.callOf('conclude_feed_run', id, attempt, hour(0))
}

test('RULINGS 16: a click counts from the last due time on, however few clicks there were before', async () => {
  const feed = await feeds.aFeed()
  const id = await aSchedule(pool, {
    kind: 'feed',
    subject_id: feed.id,
    queue: 'feed-ingest',
    payload: {},
    next_run_at: hour(0),
  })
  for (const at of [1, 2, 3]) {
    await feeds.callOf('enqueue_due', hour(at))
    await turnAway()
  }
  const { jobId } = await feeds.run(feed, products(1), { dieAfter: 1 })
  expect(await click(feed)).toMatchObject({ request: '4' })
  await turnAway()
  const { id: run, attempt } = await ofJob(jobId)
  await end(run, attempt, {})
  expect(await waiting()).toEqual([{ feedId: feed.id, trigger: 'MANUAL_PENDING', request: 4 }])
  await pool.query('delete from freshet.schedules where id = $1', [id])
})

test('RULINGS 16: what was asked for before a run began gets no follow-up', async () => {
  const feed = await feeds.aFeed()
  await click(feed)
  await click(feed)
  await turnAway()
  const { row } = await feeds.run(feed, products(1), { trigger: 'MANUAL' })
  expect(row.request).toBe('2')
  expect(await waiting()).toEqual([])
})

test('RULINGS 16: a retry covers what was asked for before it began', async () => {
  const feed = await feeds.aFeed()
  const { jobId } = await feeds.run(feed, products(1), { dieAfter: 1 })
  await click(feed)
  await turnAway()
  expect((await feeds.run(feed, products(1), { at: 1, jobId })).row.request).toBe('1')
  expect(await waiting()).toEqual([])
})

test.each(['PAUSED', 'DISABLED', 'DRAFT'])(
  'RULINGS 16: a feed that is %s by the end of its run gets no follow-up',
  async (status) => {
    const feed = await feeds.aFeed()
    const { jobId } = await feeds.run(feed, products(1), { dieAfter: 1 })
    await click(feed)
    await turnAway()
    await feeds.callOf('set_feed_status', feed.id, status, null)
    const { id, attempt } = await ofJob(jobId)
    await end(id, attempt, {})
    expect(await waiting()).toEqual([])
  },
)

test('RULINGS 16: a job waits already when the run ends: it is the follow-up, and not refused as covered', async () => {
  const feed = await feeds.aFeed()
  const first = await click(feed)
  const { jobId } = await feeds.run(feed, products(1), { dieAfter: 1 }) // covers the first click, whose job waits on
  await click(feed)
  const { id, attempt } = await ofJob(jobId)
  await end(id, attempt, {})
  expect(await waiting()).toEqual([{ feedId: feed.id, trigger: 'MANUAL', request: 1 }])
  expect(await admit(feed, 1, first.job_id!)).toMatchObject({ verdict: 'RUN' })
  await feeds.run(feed, products(1), { at: 1, trigger: 'MANUAL' })
  expect(await admit(feed, 1)).toMatchObject({ verdict: 'COVERED' })
})

test.each([
  ['ENABLED', 1, 'RUN'],
  ['PAUSED', 1, 'NOT_ENABLED'],
  ['DISABLED', 1, 'NOT_ENABLED'],
  ['ENABLED', 0, 'COVERED'],
])(
  'RULINGS 16: under the lock, a job of a feed that is %s, with %i requests uncovered, is told %s',
  async (status, uncovered, verdict) => {
    const feed = await feeds.aFeed()
    await feeds.callOf('set_feed_status', feed.id, status, null)
    if (uncovered) await click(feed)
    expect(await admit(feed, uncovered)).toEqual({
      verdict,
      status,
      has_run: false,
      host: 'files.example',
      source_id: feed.sourceId,
    })
  },
)

test('RULINGS 16: a job whose run has begun goes on, though its request is covered; not if the feed was paused', async () => {
  const feed = await feeds.aFeed()
  const { jobId } = await feeds.run(feed, products(1), { dieAfter: 1 })
  expect(await admit(feed, 0, jobId)).toMatchObject({ verdict: 'RUN', has_run: true })
  await feeds.callOf('set_feed_status', feed.id, 'PAUSED', null)
  expect(await admit(feed, 0, jobId)).toMatchObject({ verdict: 'NOT_ENABLED', has_run: true })
})

test('RULINGS 16: each due time of a feed has a number of its own, also where somebody runs its schedule by hand', async () => {
  const feed = await feeds.aFeed()
  await click(feed)
  await turnAway()
  const id = await aSchedule(pool, {
    kind: 'feed',
    subject_id: feed.id,
    queue: 'feed-ingest',
    payload: { feedId: feed.id },
    next_run_at: hour(0),
  })
  await feeds.callOf('enqueue_due', hour(1))
  const due = { feedId: feed.id, scheduleId: id, trigger: 'SCHEDULED', request: 2, dueAt: hour(0).toISOString() }
  expect(await waiting()).toEqual([due])
  await turnAway()
  await feeds.callOf('run_schedule', id, hour(2))
  expect(await waiting()).toMatchObject([{ request: 3, trigger: 'MANUAL' }])
  await feeds.run(feed, products(1))
  expect(await admit(feed, 3)).toMatchObject({ verdict: 'COVERED' })
})

test.each([
  ['S2 §6.3.1: a due time while a run is at work gets no follow-up', 'enqueue_due', []],
  ['RULINGS 16: a schedule run by hand while a run is at work is a click', 'run_schedule', ['MANUAL_PENDING']],
])('%s', async (_what, name, followUps) => {
  const feed = await feeds.aFeed()
  const run = await feeds.run(feed, products(1), { dieAfter: 1 })
  const place = { kind: 'feed', subject_id: feed.id, queue: 'feed-ingest', payload: { feedId: feed.id } }
  const id = await aSchedule(pool, { ...place, next_run_at: hour(0) })
  await (name === 'enqueue_due' ? feeds.callOf(name, hour(1)) : feeds.callOf(name, id, hour(1)))
  expect(await waiting()).toMatchObject([{ request: 1, trigger: name === 'enqueue_due' ? 'SCHEDULED' : 'MANUAL' }])
  await turnAway()
  await feeds.callOf('conclude_feed_run', run.id, 1, hour(1))
  expect((await waiting()).map(({ trigger }) => trigger)).toEqual(followUps)
})

test('S2 §5.3: a feed that is paused has no next run; enabled again it has one', async () => {
  const feed = await feeds.aFeed()
  const id = await aSchedule(pool, { kind: 'feed', subject_id: feed.id, queue: 'feed-ingest', period_seconds: 3600 })
  const next = async () =>
    (await feeds.rowsOf<{ next_run_at: Date | null }>('select next_run_at from freshet.schedules where id = $1', id))[0]
      ?.next_run_at
  await feeds.callOf('set_feed_status', feed.id, 'PAUSED', null)
  expect(await next()).toBeNull()
  await feeds.callOf('set_feed_status', feed.id, 'ENABLED', null)
  expect(await next()).toBeInstanceOf(Date)
})

test('issue 5 §1: a forced request makes the run that covers it process an unchanged file, and no later one', async () => {
  const feed = await feeds.aFeed()
  await click(feed, true)
  await click(feed)
  const forced = await feeds.run(feed, products(1), { dieAfter: 1 })
  expect(forced.row.is_forced).toBe(true)
  expect((await feeds.run(feed, products(1), { jobId: forced.jobId })).row.is_forced).toBe(true)
  expect((await feeds.run(feed, products(1), { at: 1 })).row.is_forced).toBe(false)
})

test('RULINGS 27: a host has so many places, and each goes with its connection', async () => {
  const take = (client: { query: typeof pool.query }, host = 'files.example') =>
    client
      .query<{ taken: boolean }>('select freshet.take_host_slot($1, 2) as taken', [host])
      .then(({ rows }) => rows[0]?.taken)
  const clients = [await pool.connect(), await pool.connect(), await pool.connect()]
  const [first, second, third] = clients
  expect([await take(first!), await take(second!, 'FILES.example'), await take(third!)]).toEqual([true, true, false])
  expect(await take(third!, 'other.example')).toBe(true)
  first!.release(true)
  await expect.poll(() => take(third!)).toBe(true)
  for (const client of [second!, third!]) client.release(true)
})

test('RULINGS 16: neither a click nor the clock waits while an attempt takes an earlier one back', async () => {
  const feed = await feeds.aFeed()
  const { id, jobId } = await feeds.run(feed, products(2), { dieAfter: 1 })
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from freshet.offers where created_by_run_id = $1 for update', [id]) // so that the restart takes long
  const restart = feeds.run(feed, products(2), { at: 1, jobId })
  await expect
    .poll(
      async () =>
        (
          await pool.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          )
        ).rowCount,
    )
    .toBe(1)
  expect((await click(feed)).request).toBe('1')
  await holder.query('rollback')
  holder.release()
  expect((await restart).row).toMatchObject({ status: 'SUCCEEDED', request: '1' })
})
