import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'
import { aSchedule } from '../../support/rows.ts'
import { startRun } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const stateOf = async (feed: FeedStand) =>
  (
    await feeds.rowsOf<{
      status: string
      consecutive_failures: number
      last_run_at: Date | null
      status_reason: string | null
    }>('select status, consecutive_failures, last_run_at, status_reason from freshet.feeds where id = $1', feed.id)
  )[0]!
const alertsOf = (feed: FeedStand) =>
  feeds.rowsOf<{ kind: string; severity: string; isOpen: boolean }>(
    'select kind, severity, resolved_at is null as "isOpen" from freshet.alerts where source_id = $1 order by id',
    feed.sourceId,
  )
const fail = (feed: FeedStand, at: number, isCounted = true) =>
  feeds.run(feed, products(1), { at, fail: { code: 'CONNECT_FAILED', isCounted } })

test('S2 §11.1: the third failure in a row disables the feed, takes it off the clock and tells of it', async () => {
  const feed = await feeds.aFeed()
  const schedule = await aSchedule(feeds.pool, {
    kind: 'feed',
    subject_id: feed.id,
    queue: 'feed-ingest',
    period_seconds: 3600,
  })
  const next = async () =>
    (await feeds.rowsOf('select is_enabled, next_run_at from freshet.schedules where id = $1', schedule))[0]
  await fail(feed, 1)
  await fail(feed, 2)
  expect(await stateOf(feed)).toMatchObject({ status: 'ENABLED', consecutive_failures: 2, last_run_at: hour(2) })
  await fail(feed, 3)
  const { status_reason } = await stateOf(feed)
  expect(await stateOf(feed)).toMatchObject({ status: 'DISABLED', consecutive_failures: 3, last_run_at: hour(3) })
  expect(status_reason).toBe('Disabled due to repeated failures: 3 in a row, the last one CONNECT_FAILED.')
  expect(await next()).toEqual({ is_enabled: false, next_run_at: null })
  expect(await alertsOf(feed)).toEqual([
    { kind: 'FEED_RUN_FAILED', severity: 'P2', isOpen: true },
    { kind: 'FEED_AUTO_DISABLED', severity: 'P1', isOpen: true },
  ])
})

test.each([
  ['a promoted run', (feed: FeedStand) => feeds.run(feed, products(20), { at: 3 })],
  ['a blocked run', (feed: FeedStand) => feeds.run(feed, products(2), { at: 3 })],
  [
    'S2 §9.6: a run that found nothing new',
    (feed: FeedStand) => feeds.run(feed, [], { at: 3, skip: 'UNCHANGED_MTIME' }),
  ],
])('S2 §11.1: %s begins the count of failures anew, and resolves their alert', async (_what, succeed) => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  await fail(feed, 1)
  await fail(feed, 2)
  await succeed(feed)
  expect(await stateOf(feed)).toMatchObject({ consecutive_failures: 0, last_run_at: hour(3) })
  expect((await alertsOf(feed))[0]).toEqual({ kind: 'FEED_RUN_FAILED', severity: 'P2', isOpen: false })
  await fail(feed, 4)
  await fail(feed, 5)
  expect(await stateOf(feed)).toMatchObject({ status: 'ENABLED', consecutive_failures: 2 })
})

test('S2 §15.4: that a feed was disabled stays told until a run of it succeeds', async () => {
  const feed = await feeds.aFeed()
  for (const at of [1, 2, 3]) await fail(feed, at)
  await feeds.callOf('set_feed_status', feed.id, 'ENABLED', null)
  await feeds.run(feed, products(1), { at: 4, dieAfter: 0 })
  expect((await alertsOf(feed)).map(({ isOpen }) => isOpen)).toEqual([true, true])
  const other = await feeds.aFeed()
  await feeds.run(other, products(1), { at: 4 })
  expect((await alertsOf(feed)).map(({ isOpen }) => isOpen)).toEqual([true, true])
  await feeds.run(feed, products(1), { at: 5 })
  expect((await alertsOf(feed)).map(({ isOpen }) => isOpen)).toEqual([false, false])
})

test('RULINGS 1: a failure that does not count, such as a cancelled run, neither counts nor alarms', async () => {
  const feed = await feeds.aFeed()
  for (const at of [1, 2, 3, 4]) await fail(feed, at, false)
  expect(await stateOf(feed)).toMatchObject({ status: 'ENABLED', consecutive_failures: 0, last_run_at: hour(4) })
  expect(await alertsOf(feed)).toEqual([])
})

test('S2 §16: attempts that die count for nothing, only the failure of their run does', async () => {
  const feed = await feeds.aFeed()
  const { jobId } = await feeds.run(feed, products(1), { at: 1, dieAfter: 1 })
  await feeds.run(feed, products(1), { at: 2, jobId, dieAfter: 0 })
  expect(await stateOf(feed)).toMatchObject({ consecutive_failures: 0, last_run_at: null })
  await feeds.run(feed, products(1), { at: 3, jobId, fail: { code: 'CONNECT_FAILED' } })
  expect(await stateOf(feed)).toMatchObject({ consecutive_failures: 1, last_run_at: hour(3) })
})

test('S2 §11.2: a feed that somebody paused while it failed stays PAUSED', async () => {
  const feed = await feeds.aFeed()
  await fail(feed, 1)
  await fail(feed, 2)
  const { id } = await feeds.run(feed, products(1), { at: 3, dieAfter: 0 })
  await feeds.callOf('set_feed_status', feed.id, 'PAUSED', 'Paused by an operator.')
  await feeds.callOf('fail_run', id, 1, 'CONNECT_FAILED', 'It failed.', null, hour(3))
  expect(await stateOf(feed)).toMatchObject({
    status: 'PAUSED',
    status_reason: 'Paused by an operator.',
    consecutive_failures: 3,
  })
})

test('RULINGS 24: a test of a feed counts in nothing', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const blocked = await feeds.run(feed, products(2), { at: 1 })
  const test = await startRun(feeds.pool, {
    trigger: 'ADMIN_TEST',
    sourceId: feed.sourceId,
    lock: [4623, Number(feed.id)],
    now: hour(2),
  })
  await feeds.pool.query(
    "insert into freshet.feed_runs (run_id, feed_id, place) values ($1, $2, nextval('freshet.feed_run_places')) on conflict do nothing",
    [test.id, feed.id],
  )
  expect(await stateOf(feed)).toMatchObject({ consecutive_failures: 0, last_run_at: hour(1) })
  await feeds.callOf('finish_run', test.id, 1, hour(2))
  expect(await stateOf(feed)).toMatchObject({ consecutive_failures: 0, last_run_at: hour(1) })
  expect(await feeds.refusal(blocked.id, 3)).toBeNull()
  const failed = await startRun(feeds.pool, {
    trigger: 'ADMIN_TEST',
    sourceId: feed.sourceId,
    lock: [4623, Number(feed.id)],
    now: hour(2),
  })
  await feeds.callOf('fail_run', failed.id, 1, 'CONNECT_FAILED', 'It failed.', null, hour(2))
  expect(await stateOf(feed)).toMatchObject({ consecutive_failures: 0 })
})

test('RULINGS 19, 24: a test between two runs is not the run that a held price is repeated after', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, [{ id: 'a', price: '10.00' }])
  await feeds.run(feed, [{ id: 'a', price: '500.00' }], { at: 1 })
  expect(await feeds.visible(feed, 1)).toMatchObject([{ price: '10.00' }])
  const test = await startRun(feeds.pool, {
    trigger: 'ADMIN_TEST',
    sourceId: feed.sourceId,
    lock: [4623, 1],
    now: hour(2),
  })
  await feeds.callOf('begin_feed_test', test.id, feed.id)
  await feeds.callOf('finish_run', test.id, 1, hour(2))
  await feeds.run(feed, [{ id: 'a', price: '500.00' }], { at: 3 })
  expect(await feeds.visible(feed, 3)).toMatchObject([{ price: '500.00' }])
})

test.each(['UNCHANGED_MTIME', 'UNCHANGED_HASH'] as const)(
  'S2 §9.6: a run skipped as %s ends well, judges nothing and keeps nothing fresh',
  async (skip) => {
    const feed = await feeds.aFeed()
    await feeds.run(feed, products(2))
    const before = await feeds.everythingVisible(1)
    const { row } = await feeds.run(feed, products(2), { at: 1, skip })
    expect(row).toMatchObject({
      status: 'SUCCEEDED',
      skipped_reason: skip,
      evaluated_at: null,
      active_count_before: null,
      is_blocked: false,
    })
    expect(await feeds.everythingVisible(1)).toEqual(before)
    expect([await feeds.visibleIds(feed, 48), await feeds.visibleIds(feed, 48.001)]).toEqual([['p1', 'p2'], []])
  },
)

test('DESIGN 9.8: under REFRESH a file that is confirmed to be the one that is shown keeps its offers fresh', async () => {
  const feed = await feeds.aFeed({ unchanged_policy: 'REFRESH' })
  const { id } = await feeds.run(feed, products(3), { content: 'A' })
  const refreshed = await feeds.run(feed, [], { at: 40, content: 'A', skip: 'UNCHANGED_HASH' })
  expect(refreshed.row).toMatchObject({ skipped_reason: 'UNCHANGED_HASH', counters: {} })
  expect(await feeds.rowsOf('select set_run_id, kind from freshet.promotions where run_id = $1', refreshed.id)).toEqual(
    [{ set_run_id: id, kind: 'REFRESHED' }],
  )
  expect([(await feeds.visible(feed, 88)).length, (await feeds.visible(feed, 88.001)).length]).toEqual([3, 0])
  await feeds.run(feed, [], { at: 100, content: 'A', skip: 'UNCHANGED_HASH' })
  expect(await feeds.visible(feed, 100)).toHaveLength(3)
  expect(await feeds.rebuild(100)).toBe(0)
})

test.each([
  ['the policy is KEEP', 'KEEP', 'A', 'UNCHANGED_HASH'],
  ['only the time of the file was looked at', 'REFRESH', 'A', 'UNCHANGED_MTIME'],
  ['the file is another one than what is shown', 'REFRESH', 'B', 'UNCHANGED_HASH'],
] as const)('RULINGS 15: nothing is refreshed where %s', async (_what, policy, content, skip) => {
  const feed = await feeds.aFeed({ unchanged_policy: policy })
  await feeds.run(feed, products(3), { content: 'A' })
  const { id } = await feeds.run(feed, [], { at: 40, content, skip })
  expect(await feeds.rowsOf('select from freshet.promotions where run_id = $1', id)).toEqual([])
  expect(await feeds.visible(feed, 49)).toEqual([])
})

test('RULINGS 15: while a blocked file waits for a decision, finding it unchanged refreshes nothing and leaves the block pending', async () => {
  const feed = await feeds.aFeed({ unchanged_policy: 'REFRESH' })
  await feeds.run(feed, products(20), { content: 'A' })
  const blocked = await feeds.run(feed, products(5), { at: 1, content: 'B' })
  await feeds.run(feed, [], { at: 2, content: 'B', skip: 'UNCHANGED_HASH' })
  expect(await feeds.refusal(blocked.id, 3)).toBeNull()
  await feeds.approve(blocked.id, 60)
  await feeds.run(feed, [], { at: 100, content: 'B', skip: 'UNCHANGED_HASH' })
  expect(await feeds.visibleIds(feed, 148)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5'])
  expect(await feeds.rebuild(148)).toBe(0)
})

test('RULINGS 15: what came after the shown run stays when its set is refreshed', async () => {
  const feed = await feeds.aFeed({ unchanged_policy: 'REFRESH' })
  await feeds.run(feed, [{ id: 'a', price: '10.00' }], { content: 'A' })
  await feeds.run(feed, [{ id: 'a', price: '500.00' }], { at: 1, content: 'B' })
  await feeds.callOf('accept_price', await feeds.offerId(feed, 'a'), hour(2))
  await feeds.run(feed, [], { at: 3, content: 'B', skip: 'UNCHANGED_HASH' })
  expect(await feeds.visible(feed, 50)).toMatchObject([{ id: 'a', price: '500.00' }])
  expect(await feeds.rebuild(50)).toBe(0)
})
