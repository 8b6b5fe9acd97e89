import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const presence = (sourceId: string) =>
  feeds.rowsOf<{ id: string; last_seen_at: Date; last_seen_success_at: Date | null }>(
    `select o.identity_value as id, p.last_seen_at, p.last_seen_success_at
     from freshet.offers o join freshet.offer_presence p on p.offer_id = o.id where o.source_id = $1 order by 1`,
    sourceId,
  )

test('S2 §2.7: what a first run saw is pending until it is promoted, then active', async () => {
  const feed = await feeds.aFeed()
  const { jobId } = await feeds.run(feed, products(2), { at: 1, dieAfter: 1 })
  expect(await presence(feed.sourceId)).toEqual([
    { id: 'p1', last_seen_at: hour(1), last_seen_success_at: null },
    { id: 'p2', last_seen_at: hour(1), last_seen_success_at: null },
  ])
  expect(await feeds.visible(feed, 1)).toEqual([])
  await feeds.run(feed, products(2), { at: 2, jobId })
  expect(await presence(feed.sourceId)).toEqual([
    { id: 'p1', last_seen_at: hour(2), last_seen_success_at: hour(2) },
    { id: 'p2', last_seen_at: hour(2), last_seen_success_at: hour(2) },
  ])
  expect(await feeds.visible(feed, 2)).toEqual([
    { id: 'p1', title: 'Title of p1', price: '10.00', currency: 'USD', in_stock: true, original: null },
    { id: 'p2', title: 'Title of p2', price: '10.00', currency: 'USD', in_stock: true, original: null },
  ])
})

test('S2 §2.7: a product that is new in a blocked run stays pending, and is no part of what was active', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const blocked = await feeds.run(feed, [...products(10), { id: 'new' }], { at: 1 })
  expect(blocked.row).toMatchObject({ is_blocked: true, active_count_before: 20, seen_success_count: 10 })
  const [pending] = await presence(feed.sourceId)
  expect(pending).toEqual({ id: 'new', last_seen_at: hour(1), last_seen_success_at: null })
  const next = await feeds.run(feed, [...products(20), { id: 'new' }], { at: 2 })
  expect(next.row).toMatchObject({ is_blocked: false, active_count_before: 20, seen_success_count: 20 })
  expect(await feeds.visibleIds(feed, 2)).toContain('new')
})

test('S2 §7.6: a blocked and a failed run note when they saw an offer, and not that it was shown', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const seen = async () => {
    const [first] = await presence(feed.sourceId)
    return [first?.last_seen_at, first?.last_seen_success_at]
  }
  await feeds.run(feed, products(1), { at: 1 })
  expect(await seen()).toEqual([hour(1), hour(0)])
  await feeds.run(feed, products(20), { at: 2, fail: { code: 'PARSE_FAILED' } })
  expect(await seen()).toEqual([hour(2), hour(0)])
})

test('S2 §7.4: a failed run keeps what it took in, shows nothing of it, and says that it is partial', async () => {
  const feed = await feeds.aFeed()
  const failed = await feeds.run(feed, products(3), { fail: { code: 'PARSE_FAILED' } })
  expect(failed.row).toMatchObject({
    status: 'FAILED',
    is_partial: true,
    counters: { productsUpserted: 3, pricesWritten: 3 },
  })
  expect(await presence(feed.sourceId)).toHaveLength(3)
  expect(await feeds.visible(feed, 0)).toEqual([])
  await feeds.run(feed, products(3), { at: 1 })
  expect(await feeds.visibleIds(feed, 1)).toEqual(['p1', 'p2', 'p3'])
})

test.each([
  ['a run without errors', 0, false],
  ['a run with errors in rows', 1, true],
])('S2 §2.1: %s is partial: %s errors, %s', async (_what, errors, isPartial) => {
  const feed = await feeds.aFeed()
  const { id, jobId } = await feeds.run(feed, products(1), { dieAfter: 1 })
  const finish = async () => {
    await feeds.callOf('sample_run_errors', id, 1, '[]', errors ? '{"PRICE_MISSING": 1}' : '{}', errors, hour(0))
    await feeds.callOf('conclude_feed_run', id, 1, hour(0))
    return feeds.feedRun(id)
  }
  expect(jobId).toBeTruthy()
  expect(await finish()).toMatchObject({ status: 'SUCCEEDED', is_partial: isPartial })
})

test.each([
  ['fails at once', { dieAfter: 0 }, 'FAILED', false],
  ['takes nothing in', {}, 'SUCCEEDED', false],
  ['fails half way', { dieAfter: 1 }, 'FAILED', true],
])('S2 §2.1: a run with an error that %s (%j) is %s, and partial: %s', async (_what, options, status, isPartial) => {
  const feed = await feeds.aFeed()
  const file = 'dieAfter' in options ? products(2) : []
  const { id } = await feeds.run(feed, file, { dieAfter: 1, ...options, chunkSize: 1 })
  await feeds.callOf('sample_run_errors', id, 1, '[]', '{"PRICE_MISSING": 1}', 1, hour(0))
  if (status === 'FAILED') await feeds.callOf('fail_run', id, 1, 'X', 'It failed.', 'Look.', hour(0), true)
  else await feeds.callOf('conclude_feed_run', id, 1, hour(0))
  expect(await feeds.feedRun(id)).toMatchObject({ status, error_count: 1, is_partial: isPartial })
})

test.each([
  ['PARSE', false],
  ['EVALUATE', true],
  ['PROMOTE', true],
])(
  'S2 §2.1: a run that failed in %s says that its file was taken in and was not judged or shown: %s',
  async (stage, isSo) => {
    const feed = await feeds.aFeed()
    const { id } = await feeds.run(feed, products(1), { dieAfter: 1 })
    await feeds.callOf('set_run_stage', id, 1, stage, hour(0))
    await feeds.callOf('fail_run', id, 1, 'INTERNAL', 'It failed.', 'Look.', hour(0), true)
    expect(await feeds.feedRun(id)).toMatchObject({ status: 'FAILED', expiry_step_failed: isSo })
  },
)

test('S2 §8.2: expiry is a question of time: an offer lasts expiryHours from its last promotion, to the moment', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 48 })
  await feeds.run(feed, products(2))
  await feeds.run(feed, products(1), { at: 1 })
  expect(await feeds.visibleIds(feed, 48)).toEqual(['p1', 'p2'])
  expect(await feeds.visibleIds(feed, 48.001)).toEqual(['p1'])
  expect(await feeds.visibleIds(feed, 49)).toEqual(['p1'])
  expect(await feeds.visibleIds(feed, 49.001)).toEqual([])
})

test('S2 §2.8.2: a change of expiryHours changes at once what is active', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 48 })
  await feeds.run(feed, products(2))
  await feeds.pool.query('update freshet.sources set expiry_hours = 24 where id = $1', [feed.sourceId])
  expect(await feeds.visibleIds(feed, 25)).toEqual([])
  expect((await feeds.run(feed, products(1), { at: 25 })).row).toMatchObject({
    active_count_before: 0,
    is_blocked: false,
  })
})

test('DESIGN 6: an offer that comes back is shown as it was promoted last, changed or not', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 1 })
  await feeds.run(feed, products(2, { price: '7.00' }))
  await feeds.run(feed, products(1, { price: '7.00' }), { at: 5 })
  expect(await feeds.visibleIds(feed, 5)).toEqual(['p1'])
  await feeds.run(feed, products(2, { price: '7.00' }), { at: 6, isProbed: true })
  expect(await feeds.visible(feed, 6)).toMatchObject([{ id: 'p1' }, { id: 'p2', price: '7.00' }])
})

test.each([
  ['is its retailer’s display primary', { is_display_primary: true }, []],
  ['is not the display primary', { is_display_primary: false }, ['setDisplayPrimary']],
  ['is INELIGIBLE', { visibility_status: 'INELIGIBLE' }, ['setSourceVisibility(status: ELIGIBLE)']],
])('RULINGS 22: a run into a source that %s warns, with what changes that', async (_what, source, remedies) => {
  const feed = await feeds.aFeed({}, source)
  const { row } = await feeds.run(feed, products(1))
  expect(row.warnings).toEqual(
    remedies.map((remedy) => ({
      code: 'SOURCE_NOT_VISIBLE',
      message: expect.stringContaining(`: ${remedy} changes that.`) as unknown,
    })),
  )
  expect(await feeds.visibleIds(feed, 0)).toEqual(remedies.length ? [] : ['p1'])
})
