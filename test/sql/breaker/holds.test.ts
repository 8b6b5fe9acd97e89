import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const hoursBack = async (feed: FeedStand, hours: number) =>
  (hour(hours).getTime() - (await feeds.callOf<Date>('active_since', feed.sourceId, hour(hours))).getTime()) / 3_600_000
const expireAt = async (feed: FeedStand) =>
  ((await feeds.callOf<Date>('offers_expire_at', feed.sourceId)).getTime() - hour(0).getTime()) / 3_600_000
const count = async (feed: FeedStand, hours: number) => (await feeds.visible(feed, hours)).length

/** A feed of 20 offers that last 48 hours, shown at 0 and blocked at `at`, for 100 hours at most. */
async function aBlock(at = 10, columns: object = {}) {
  const feed = await feeds.aFeed({ hold_hours: 100, ...columns })
  await feeds.run(feed, products(20))
  return { feed, blocked: await feeds.run(feed, products(10), { at }) }
}

test('RULINGS 13: without a hold what is active is expiryHours old at most', async () => {
  const feed = await feeds.aFeed()
  expect(await hoursBack(feed, 0)).toBe(48)
})

test.each([
  [48, 20],
  [109.999, 20],
  [110, 20],
  [110.001, 20], // over at 110: each offer has the 38 h left that it had
  [148, 20],
  [148.001, 0],
])(
  'DESIGN 9.20: a pending block at hour 10 stops the clock for its hold hours: at %f h %i are active',
  async (hours, active) => {
    const { feed } = await aBlock()
    expect(await count(feed, hours)).toBe(active)
    expect(await expireAt(feed)).toBe(148)
  },
)

test('RULINGS 13: later blocked runs do not renew a hold, failed and skipped ones change nothing about it', async () => {
  const { feed } = await aBlock()
  await feeds.run(feed, products(9), { at: 60 })
  await feeds.run(feed, products(9), { at: 61, fail: { code: 'CONNECT_FAILED' } })
  await feeds.run(feed, products(9), { at: 62, skip: 'UNCHANGED_HASH' })
  expect([await count(feed, 148), await count(feed, 148.001)]).toEqual([20, 0])
  await feeds.run(feed, products(8), { at: 120 }) // after it was over: there is no second one
  expect([await count(feed, 148), await count(feed, 148.001)]).toEqual([20, 0])
})

test('RULINGS 13: a rejection starts the clock again: each offer has the life left that it had', async () => {
  const { feed, blocked } = await aBlock()
  await feeds.reject(blocked.id, 40)
  expect(await expireAt(feed)).toBe(78)
  expect([await count(feed, 78), await count(feed, 78.001)]).toEqual([20, 0])
})

test('RULINGS 13: after a rejection another block is a hold of its own, and both add up', async () => {
  const { feed, blocked } = await aBlock()
  await feeds.reject(blocked.id, 40)
  const again = await feeds.run(feed, products(9), { at: 50 })
  expect(again.row.is_blocked).toBe(true)
  await feeds.reject(again.id, 70)
  expect(await expireAt(feed)).toBe(98) // 48 and 30 and 20
  expect([await count(feed, 98), await count(feed, 98.001)]).toEqual([20, 0])
})

test('S2 §8.7: an approval shows what was seen as of that moment, and the unseen expire at once if their time is over', async () => {
  const { feed, blocked } = await aBlock()
  expect(await feeds.approve(blocked.id, 100, 10)).toBe(10)
  expect([await count(feed, 100), await count(feed, 148), await count(feed, 148.001)]).toEqual([10, 10, 0])
  expect(await expireAt(feed)).toBe(148)
})

test('RULINGS 13: before expiryHours an approval leaves the unseen the time that they have', async () => {
  const { feed, blocked } = await aBlock()
  await feeds.approve(blocked.id, 20, 10)
  expect([await count(feed, 48), await count(feed, 48.001), await count(feed, 68)]).toEqual([20, 10, 10])
})

test('RULINGS 13: a later promoted run ends the hold, and its time counts after all', async () => {
  const { feed } = await aBlock()
  const good = await feeds.run(feed, products(19), { at: 100 })
  expect(good.row).toMatchObject({ is_blocked: false, active_count_before: 20 })
  expect(await feeds.visibleIds(feed, 100)).not.toContain('p20')
  expect(await count(feed, 100)).toBe(19)
})

test('RULINGS 13: an approval after the hold is over takes no time back: it never counts', async () => {
  const { feed, blocked } = await aBlock()
  await feeds.approve(blocked.id, 120, 10)
  expect([await count(feed, 120), await count(feed, 148), await count(feed, 148.001)]).toEqual([20, 20, 10])
})

test('RULINGS 13: a block when nothing is active any more brings nothing back', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  await feeds.run(feed, products(20, { by: 'URL_HASH' }), { at: 60 })
  expect(await count(feed, 60)).toBe(0)
  expect(await expireAt(feed)).toBe(48)
})

test('RULINGS 13: what was shown in the moment of a block, and only half, has its whole time after the hold', async () => {
  const { feed } = await aBlock(10, { block_policy: 'HOLD_REMOVALS' })
  const lasting = await feeds.visibleIds(feed, 110 + 48)
  expect(lasting).toHaveLength(10)
  expect(await count(feed, 110 + 48.001)).toBe(0)
  expect([await count(feed, 110 + 38), await count(feed, 110 + 38.001)]).toEqual([20, 10])
})

test('S2 §2.7: no day of the session’s time zone is shorter than 24 hours', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 48 })
  const client = await feeds.pool.connect()
  await client.query("set time zone 'Europe/Vienna'")
  const text = 'select ($2::timestamptz - freshet.active_since($1, $2)) = interval \'48 hours\' as "is48"'
  const { rows } = await client.query(text, [feed.sourceId, '2026-03-29T12:00:00Z'])
  client.release(true)
  expect(rows).toEqual([{ is48: true }])
})

test('RULINGS 14: a blocked run is judged against what the hold keeps, so that what vanished counts again', async () => {
  const { feed } = await aBlock()
  const again = await feeds.run(feed, products(10), { at: 100 })
  expect(again.row).toMatchObject({ is_blocked: true, active_count_before: 20, would_expire_count: 10 })
})
