import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'
import { startRun } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

/** A feed of 20 offers with a run that saw 10 of them and waits for a decision. */
async function aBlock() {
  const feed = await feeds.aFeed()
  const shown = await feeds.run(feed, products(20))
  return { feed, shown, blocked: await feeds.run(feed, products(10), { at: 1 }) }
}
const refused = (code: string) => ({ code: 'FR051', detail: code })

test('RULINGS 21: a run that is not there cannot be decided', async () => {
  expect(await feeds.refusal('999999999', 2)).toBe('RUN_NOT_FOUND')
  const { id } = await startRun(feeds.pool, { kind: 'SWEEP' })
  expect(await feeds.refusal(id, 2)).toBe('RUN_NOT_FOUND')
})

test('RULINGS 21: refusals have an order, and each one hides those behind it', async () => {
  const { feed, shown, blocked } = await aBlock()
  const failed = await feeds.run(feed, products(20), { at: 2, fail: { code: 'PARSE_FAILED' } })
  expect(await feeds.refusal(failed.id, 3, 99)).toBe('RUN_NOT_SUCCEEDED')
  expect(await feeds.refusal(shown.id, 3, 99)).toBe('NOT_BLOCKED')
  expect(await feeds.refusal(blocked.id, 3, 99)).toBe('IMPACT_CHANGED')
  expect(await feeds.refusal(blocked.id, 3, 10)).toBeNull()
  const other = await feeds.run(feed, products(10), { at: 4 })
  expect(await feeds.refusal(blocked.id, 5, 99)).toBe('STALE_RUN')
  await feeds.approve(other.id, 5, 10)
  await feeds.run(feed, products(10), { at: 6 })
  expect(await feeds.refusal(other.id, 7, 99)).toBe('ALREADY_APPROVED') // and stale, too
  const { feed: second, blocked: rejected } = await aBlock()
  await feeds.reject(rejected.id, 2)
  await feeds.run(second, products(20), { at: 3 })
  expect(await feeds.refusal(rejected.id, 4, 99)).toBe('ALREADY_REJECTED')
})

test('RULINGS 21: what is refused changes nothing', async () => {
  const { blocked } = await aBlock()
  const before = await feeds.everythingVisible(2)
  await expect(feeds.approve(blocked.id, 2, 9)).rejects.toMatchObject(refused('IMPACT_CHANGED'))
  await expect(feeds.approve(blocked.id, 2, 11)).rejects.toMatchObject(refused('IMPACT_CHANGED'))
  expect(await feeds.everythingVisible(2)).toEqual(before)
  await feeds.approve(blocked.id, 2, 10)
  const after = await feeds.everythingVisible(3)
  await expect(feeds.approve(blocked.id, 3)).rejects.toMatchObject(refused('ALREADY_APPROVED'))
  await expect(feeds.reject(blocked.id, 3)).rejects.toMatchObject(refused('ALREADY_APPROVED'))
  expect(await feeds.everythingVisible(3)).toEqual(after)
})

test('S2 §8.7: an approval is kept with who and when, and the run stays blocked', async () => {
  const { feed, blocked } = await aBlock()
  expect(await feeds.approve(blocked.id, 5)).toBe(10)
  expect(await feeds.feedRun(blocked.id)).toMatchObject({
    is_blocked: true,
    approved_at: hour(5),
    approved_by: 'an operator',
    rejected_at: null,
    products_expired: 10,
  })
  const [promotion] = await feeds.rowsOf('select kind, at from freshet.promotions where run_id = $1', blocked.id)
  expect(promotion).toEqual({ kind: 'APPROVED', at: hour(5) })
  const alerts = await feeds.rowsOf(
    'select resolved_at from freshet.alerts where source_id = $1 and kind = $2',
    feed.sourceId,
    'FEED_RUN_BLOCKED',
  )
  expect(alerts).toEqual([{ resolved_at: hour(5) }])
})

test('DESIGN 6: a rejected run is never shown, and its alert is resolved', async () => {
  const { feed, blocked } = await aBlock()
  const before = await feeds.everythingVisible(2)
  await feeds.reject(blocked.id, 2)
  expect(await feeds.feedRun(blocked.id)).toMatchObject({
    rejected_at: hour(2),
    rejected_by: 'an operator',
    rejected_reason: 'not true',
  })
  expect(await feeds.everythingVisible(2)).toEqual(before)
  await expect(feeds.approve(blocked.id, 3)).rejects.toMatchObject(refused('ALREADY_REJECTED'))
  expect(
    await feeds.rowsOf(
      'select resolved_at from freshet.alerts where source_id = $1 and kind = $2',
      feed.sourceId,
      'FEED_RUN_BLOCKED',
    ),
  ).toEqual([{ resolved_at: hour(2) }])
})

const later: [string, (feed: FeedStand) => Promise<unknown>, boolean][] = [
  ['a promoted run', (feed) => feeds.run(feed, products(20), { at: 2 }), true],
  ['another blocked run', (feed) => feeds.run(feed, products(9), { at: 2 }), true],
  ['a run that found the file unchanged', (feed) => feeds.run(feed, [], { at: 2, skip: 'UNCHANGED_HASH' }), false],
  ['a failed run', (feed) => feeds.run(feed, products(20), { at: 2, fail: { code: 'X' } }), false],
  ['a run that was killed', (feed) => feeds.run(feed, products(20), { at: 2, dieAfter: 1 }), false],
]
test.each(later)('DESIGN 9.3: %s makes a blocked one stale: %s', async (_what, run, isStale) => {
  const { feed, blocked } = await aBlock()
  await run(feed)
  expect(await feeds.refusal(blocked.id, 3)).toBe(isStale ? 'STALE_RUN' : null)
})

test('RULINGS 21: newer is which run took the lock last: an old one that is tried again makes a blocked one stale', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const { jobId } = await feeds.run(feed, products(20), { at: 1, dieAfter: 1 })
  const blocked = await feeds.run(feed, products(10), { at: 2 })
  expect(await feeds.refusal(blocked.id, 2)).toBeNull()
  await feeds.run(feed, products(20), { at: 3, jobId })
  expect(await feeds.refusal(blocked.id, 3)).toBe('STALE_RUN')
})

test('S2 §8.7: approval shows what the blocked run saw, changed prices and titles included', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const file = [...products(5, { price: '12.00', title: 'changed' }), ...products(5, {}, 6), { id: 'new' }]
  const blocked = await feeds.run(feed, file, { at: 1, chunkSize: 4 })
  await feeds.approve(blocked.id, 49)
  expect(await feeds.visible(feed, 49)).toMatchObject([
    { id: 'new' },
    ...[1, 10, 2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
      n < 6 ? { id: `p${n}`, price: '12.00', title: 'changed' } : { id: `p${n}`, price: '10.00' },
    ),
  ])
  expect(await feeds.rebuild(49)).toBe(0)
})

test('issue 5 §3: before a decision one sees what would expire, appear and change its price, page by page', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const file = [
    { id: 'p1', price: '12.00' },
    { id: 'p2', price: '500.00' },
    ...products(6, {}, 3),
    { id: 'new', price: '3.00', title: 'New' },
  ]
  const { id } = await feeds.run(feed, file, { at: 1 })
  const impact = (after: string | null, limit: number, hours = 2) =>
    feeds.rowsOf<{ offer_id: string; effect: string }>(
      'select * from freshet.feed_impact($1, $2, $3, $4)',
      id,
      hour(hours),
      after ?? '0',
      limit,
    )
  const all = await impact(null, 100)
  expect(all.filter(({ effect }) => effect !== 'EXPIRE')).toMatchObject([
    { effect: 'PRICE', title: 'Title of p1', currency: 'USD', old_price: '10.00', new_price: '12.00', is_held: false },
    { effect: 'PRICE', title: 'Title of p2', old_price: '10.00', new_price: '500.00', is_held: true },
    { effect: 'APPEAR', title: 'New', currency: 'USD', old_price: null, new_price: '3.00', is_held: false },
  ])
  expect(all.filter(({ effect }) => effect === 'EXPIRE')).toHaveLength(12)
  expect(await feeds.callOf('would_expire', id, hour(2))).toBe(12)
  const pages = [await impact(null, 6), await impact(all[5]!.offer_id, 6), await impact(all[11]!.offer_id, 6)]
  expect(pages.flat()).toEqual(all)
  await feeds.approve(id, 49, 12)
  expect(await impact(null, 100, 49)).toEqual([])
})
