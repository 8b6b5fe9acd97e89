import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products, type Product } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

/** Half of the products are gone, half of the rest changed in every way, and some are new. */
const spoiled = (price = '10.00'): Product[] => [
  ...products(5, { title: 'changed', price, inStock: false, original: '99.00' }),
  ...products(5, {}, 6),
  ...products(5, { title: 'new' }, 100),
]
const alerts = (feed: FeedStand, kind = 'FEED_RUN_BLOCKED') =>
  feeds.rowsOf<{ severity: string; message: string; resolved_at: Date | null; times_raised: number; details: object }>(
    'select severity, message, resolved_at, times_raised, details from freshet.alerts where source_id = $1 and kind = $2 order by id',
    feed.sourceId,
    kind,
  )

test.each([
  ['a disappearance', {}, spoiled('12.00'), 0],
  ['moved prices', {}, products(20, { price: '25.00', title: 'changed' }), 0],
  ['refused rows', {}, products(20, { title: 'changed' }), 30],
  ['products known by their address', { url_hash_max_count: 1 }, products(2, { by: 'URL_HASH', title: 'changed' }), 0],
  [
    'moved prices, where removals alone are held',
    { block_policy: 'HOLD_REMOVALS' },
    products(20, { price: '25.00' }),
    0,
  ],
  [
    'a disappearance among refused rows, where removals alone are held',
    { block_policy: 'HOLD_REMOVALS' },
    products(5, { title: 'changed' }),
    30,
  ],
])(
  'issue 5 §3: a run blocked for %s changes nothing that a consumer can see',
  async (_what, columns, file, rejected) => {
    const feed = await feeds.aFeed(columns)
    await feeds.run(feed, products(20))
    const before = await feeds.everythingVisible(1)
    expect(before.offers.length).toBeGreaterThanOrEqual(20)
    const { row } = await feeds.run(feed, file, { at: 1, rejected, chunkSize: 7 })
    expect(row).toMatchObject({ status: 'SUCCEEDED', is_blocked: true, products_expired: null })
    expect(await feeds.everythingVisible(1)).toEqual(before)
    expect(await feeds.rebuild(1)).toBe(0)
  },
)

test('DESIGN 9.21: under HOLD_REMOVALS what arrived is shown, and only the disappearance waits', async () => {
  const feed = await feeds.aFeed({ block_policy: 'HOLD_REMOVALS' })
  await feeds.run(feed, products(20))
  const { row } = await feeds.run(feed, spoiled('12.00'), { at: 47 })
  expect(row).toMatchObject({ is_blocked: true, would_expire_count: 10, products_expired: null })
  const shown = await feeds.visible(feed, 60) // 60 h after the rest was seen last
  expect(shown).toHaveLength(25)
  expect(shown.find(({ id }) => id === 'p1')).toMatchObject({ title: 'changed', price: '12.00', in_stock: false })
  expect(shown.find(({ id }) => id === 'p20')).toMatchObject({ title: 'Title of p20', price: '10.00' })
  expect(await feeds.rebuild(60)).toBe(0)
})

test('RULINGS 14: under HOLD_REMOVALS an approval lets the removals run, and shows nothing anew', async () => {
  const feed = await feeds.aFeed({ block_policy: 'HOLD_REMOVALS' })
  await feeds.run(feed, products(20))
  const blocked = await feeds.run(feed, products(10), { at: 47 })
  expect(await feeds.approve(blocked.id, 60, 10)).toBe(0)
  expect(await feeds.visible(feed, 60)).toHaveLength(10)
  expect(await feeds.feedRun(blocked.id)).toMatchObject({ approved_at: hour(60), products_expired: 10 })
  // What was seen lasts from when it was seen, not from when the rest was let go.
  expect(await feeds.visible(feed, 47 + 48)).toHaveLength(10)
  expect(await feeds.visible(feed, 47 + 48.001)).toHaveLength(0)
  expect(await feeds.rebuild(60)).toBe(0)
})

test('S2 §15.4: a block raises one alert, however often it is repeated, with why and until when; a good run resolves it', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const first = await feeds.run(feed, products(10), { at: 1 })
  await feeds.run(feed, products(9), { at: 2 })
  const until = hour(169).toISOString().replace('.000', '')
  expect(await alerts(feed)).toMatchObject([
    {
      severity: 'P1',
      times_raised: 2,
      resolved_at: null,
      message: expect.stringMatching(
        `SPIKE_THRESHOLD_EXCEEDED.*11 of 20 active offers would expire.*Held until ${until}`,
      ) as unknown,
    },
  ])
  expect(first.row.is_blocked).toBe(true)
  await feeds.run(feed, products(20), { at: 3 })
  expect(await alerts(feed)).toMatchObject([{ resolved_at: hour(3) }])
})

test.each([
  ['1000.00', '20 of 20 prices moved by a factor of 100, most likely an error of the unit (cents for units). Held'],
  ['0.10', '20 of 20 prices moved by a factor of 0.01, most likely an error of the unit (units for cents). Held'],
  ['25.00', '20 of 20 prices moved by a factor of 2.5. Held'],
  ['10.00', '0 of 20 prices moved. Held'],
])('DESIGN 9.22: an alert says by which factor prices moved to %s: %s', async (price, words) => {
  const feed = await feeds.aFeed({ rejected_percent: 1 })
  await feeds.run(feed, products(20))
  await feeds.run(feed, products(20, { price }), { at: 1, rejected: 1 })
  expect((await alerts(feed))[0]?.message).toContain(words)
})

test('DESIGN 9.11: a blocked run has processed its file: what it looked like is kept, unlike that of a failed one', async () => {
  const feed = await feeds.aFeed()
  const known = async () =>
    (await feeds.rowsOf('select last_remote_mtime, last_remote_size from freshet.feeds where id = $1', feed.id))[0]
  await feeds.run(feed, products(20))
  await feeds.run(feed, products(10), { at: 1 })
  expect(await known()).toEqual({ last_remote_mtime: hour(1), last_remote_size: '10' })
  await feeds.run(feed, products(11), { at: 2, fail: { code: 'PARSE_FAILED' } })
  await feeds.run(feed, products(12), { at: 3, skip: 'UNCHANGED_MTIME' })
  expect(await known()).toEqual({ last_remote_mtime: hour(1), last_remote_size: '10' })
})
