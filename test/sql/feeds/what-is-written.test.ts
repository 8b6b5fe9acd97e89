import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products, type Product } from '../../support/feed-products.ts'
import { openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const reasons = async (feed: FeedStand) =>
  (await feeds.prices(feed)).map(({ id, amount, reason }) => `${id} ${amount} ${reason}`)
const versions = (feed: FeedStand) =>
  feeds.rowsOf<{ id: string; title: string }>(
    `select o.identity_value as id, v.title from freshet.offer_versions v join freshet.offers o on o.id = v.offer_id
     where o.source_id = $1 order by v.run_id, 1`,
    feed.sourceId,
  )

test.each([false, true])(
  'S2 §4.2: a price is written for a new product and for another signature only (probed: %s)',
  async (isProbed) => {
    const feed = await feeds.aFeed()
    await feeds.run(feed, products(2))
    const again = await feeds.run(feed, products(2), { at: 1, isProbed })
    expect(again.row.counters).toMatchObject({ pricesWritten: 0, productsUpserted: 2 })
    const changed: [Product, string][] = [
      [{ id: 'p1', price: '12.00' }, 'p1 12.00 CHANGED'],
      [{ id: 'p1', price: '12.00', currency: 'EUR' }, 'p1 12.00 CHANGED'],
      [{ id: 'p1', price: '12.00', currency: 'EUR', promo: 'spring' }, 'p1 12.00 CHANGED'],
    ]
    for (const [index, [row]] of changed.entries())
      await feeds.run(feed, [row, { id: 'p2' }], { at: 2 + index, isProbed })
    expect(await reasons(feed)).toEqual(['p1 10.00 NEW', 'p2 10.00 NEW', ...changed.map(([, line]) => line)])
  },
)

test.each([
  [24, 23.999, 0],
  [24, 24, 1],
  [1, 0.999, 0],
  [1, 1, 1],
])(
  'S2 §4.2, RULINGS 20: with a heartbeat of %i h a price %f h old gets %i row more, of history only',
  async (hours, age, count) => {
    const feed = await feeds.aFeed({ price_heartbeat_hours: hours })
    await feeds.run(feed, products(1))
    const before = await feeds.rowsOf(
      'select *, xmin, ctid from freshet.current_offers where source_id = $1',
      feed.sourceId,
    )
    const { row } = await feeds.run(feed, products(1), { at: age, isProbed: true })
    expect(row.counters.pricesWritten).toBe(count)
    expect(await reasons(feed)).toEqual(['p1 10.00 NEW', ...(count ? ['p1 10.00 HEARTBEAT'] : [])])
    const after = await feeds.rowsOf(
      'select *, xmin, ctid from freshet.current_offers where source_id = $1',
      feed.sourceId,
    )
    expect(after).toEqual(before)
  },
)

test('S2 §4.2.2: a heartbeat is counted from the last price row, not from when the product was seen last', async () => {
  const feed = await feeds.aFeed()
  for (const hours of [0, 10, 20, 24, 34, 47.9, 48]) await feeds.run(feed, products(1), { at: hours })
  expect(await reasons(feed)).toEqual(['p1 10.00 NEW', 'p1 10.00 HEARTBEAT', 'p1 10.00 HEARTBEAT'])
})

test('RULINGS 12: a version is written where a row says something else than what is shown', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(2))
  await feeds.run(feed, [{ id: 'p1', title: 'another' }, { id: 'p2' }], { at: 1 })
  await feeds.run(
    feed,
    [
      { id: 'p1', title: 'another' },
      { id: 'p2', inStock: false },
    ],
    { at: 2 },
  )
  expect(await versions(feed)).toEqual([
    { id: 'p1', title: 'Title of p1' },
    { id: 'p2', title: 'Title of p2' },
    { id: 'p1', title: 'another' },
    { id: 'p2', title: 'Title of p2' },
  ])
  expect(await feeds.visible(feed, 2)).toMatchObject([{ title: 'another', in_stock: true }, { in_stock: false }])
})

test('RULINGS 12: what only a blocked run wrote is news to the next run, and its price is public with that run alone', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const changed = products(20, { price: '12.00', title: 'changed' })
  const blocked = await feeds.run(feed, changed.slice(0, 10), { at: 1 })
  expect(blocked.row.is_blocked).toBe(true)
  const good = await feeds.run(feed, changed, { at: 2 })
  expect(good.row).toMatchObject({ is_blocked: false, counters: { pricesWritten: 20 } })
  expect(await feeds.visible(feed, 2)).toMatchObject(changed.map(() => ({ price: '12.00', title: 'changed' })))
  const { prices } = await feeds.everythingVisible(2)
  expect(new Set(prices.map((price) => (price as { run_id: string }).run_id))).not.toContain(blocked.id)
})

test('RULINGS 12: a row that goes back to what is shown writes nothing after a blocked run said otherwise', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  await feeds.run(feed, products(10, { price: '12.00' }), { at: 1 })
  expect((await feeds.run(feed, products(20), { at: 2 })).row.counters.pricesWritten).toBe(0)
  expect(await feeds.visible(feed, 2)).toMatchObject([...Array(20)].map(() => ({ price: '10.00' })))
  expect(await feeds.rebuild(2)).toBe(0)
})

test.each([false, true])('RULINGS 29: probing first changes nothing about what a run leaves (%s)', async (isProbed) => {
  const feed = await feeds.aFeed()
  const first = products(6)
  const second: Product[] = [
    { id: 'p1', price: '11.00' },
    { id: 'p2', title: 'other' },
    { id: 'p3' },
    { id: 'n' },
    { id: 'p1' },
  ]
  await feeds.run(feed, first, { isProbed, chunkSize: 2 })
  const { row } = await feeds.run(feed, second, { at: 1, isProbed, chunkSize: 2 })
  expect(row.counters).toEqual({
    rowsRead: 5,
    rowsParsed: 5,
    productsRejected: 0,
    duplicateKeyCount: 1,
    productsUpserted: 4,
    urlHashFallbackCount: 0,
    pricesWritten: 1,
  })
  expect(await reasons(feed)).toEqual([...first.map(({ id }) => `${id} 10.00 NEW`), 'n 10.00 NEW'])
  expect(await feeds.visible(feed, 1)).toMatchObject([
    { id: 'n' },
    { id: 'p1', price: '10.00' },
    { id: 'p2', title: 'other' },
    { id: 'p3' },
    ...['p4', 'p5', 'p6'].map((id) => ({ id })),
  ])
})
