import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products, type Product } from '../../support/feed-products.ts'
import { openFeedRuns } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const notes = async (runId: string) =>
  feeds.rowsOf<{ code: string; total: number; line: number; message: string }>(
    `select e.code, t.total, e.line, e.message from freshet.run_errors e join freshet.run_error_totals t using (run_id, code)
     where run_id = $1 order by e.id`,
    runId,
  )

/** The same product four times, with others between, and what each row says of it. */
const repeated: Product[] = [
  { id: 'a', title: 'first', price: '1.00' },
  { id: 'b' },
  { id: 'a', title: 'second', price: '2.00' },
  { id: 'c' },
  { id: 'a', title: 'third', price: '3.00' },
  { id: 'a', title: 'last', price: '4.00' },
]

test.each([1, 2, 3, 4, 6])('S2 §7.5: the last row of a product wins, in chunks of %i rows', async (chunkSize) => {
  const feed = await feeds.aFeed()
  const { row } = await feeds.run(feed, repeated, { chunkSize })
  expect(row.counters).toMatchObject({
    rowsRead: 6,
    productsUpserted: 3,
    duplicateKeyCount: 3,
    pricesWritten: 3,
    urlHashFallbackCount: 0,
  })
  expect(await feeds.visible(feed, 0)).toMatchObject([
    { id: 'a', title: 'last', price: '4.00' },
    { id: 'b' },
    { id: 'c' },
  ])
  expect((await feeds.prices(feed)).map(({ id, amount }) => `${id} ${amount}`).toSorted()).toEqual([
    'a 4.00',
    'b 10.00',
    'c 10.00',
  ])
  expect(await feeds.rebuild(0)).toBe(0)
})

test.each([
  [1, false],
  [1, true],
  [6, false],
  [6, true],
])(
  'S2 §7.5: a last row that says what is promoted takes back what earlier rows wrote (%i rows a chunk, probed: %s)',
  async (chunkSize, isProbed) => {
    const feed = await feeds.aFeed()
    const before: Product[] = [{ id: 'a', title: 'last', price: '4.00' }, { id: 'b' }, { id: 'c' }]
    await feeds.run(feed, before)
    const { id, row } = await feeds.run(feed, repeated, { at: 1, chunkSize, isProbed })
    expect(row.counters).toMatchObject({ productsUpserted: 3, duplicateKeyCount: 3, pricesWritten: 0 })
    expect(await feeds.rowsOf('select from freshet.offer_versions where run_id = $1', id)).toEqual([])
    expect(await feeds.visible(feed, 1)).toMatchObject([
      { id: 'a', title: 'last', price: '4.00' },
      { id: 'b' },
      { id: 'c' },
    ])
  },
)

test.each([
  [1, [4, 6, 7]],
  [3, [7]], // within a chunk its reader notes them
])(
  'S2 §7.5: a product of an earlier chunk is noted with its line, and is no error (%i rows a chunk)',
  async (chunkSize, lines) => {
    const feed = await feeds.aFeed()
    const { id, row } = await feeds.run(feed, repeated, { chunkSize })
    expect(await notes(id)).toMatchObject(
      lines.map((line) => ({ code: 'DUPLICATE_ROW_SAME_IDENTITY', total: lines.length, line })),
    )
    expect(row).toMatchObject({ error_count: 0, is_partial: false })
    const again = await feeds.run(feed, [...products(120), ...products(120)], { at: 1, chunkSize: 120, isProbed: true })
    expect((await notes(again.id)).map(({ total }) => total)).toEqual(Array.from({ length: 100 }, () => 120))
  },
)

test('S2 §4.2.2: a product in two chunks counts once in the breakers, as what its last row says', async () => {
  const feed = await feeds.aFeed({ price_move_percent: 30 })
  await feeds.run(feed, products(20))
  // Six of 20 move, which is 30 %; each is written by two chunks.
  const moved = products(6, { price: '30.00' })
  const { row } = await feeds.run(feed, [...moved, ...products(6, { price: '35.00' }), ...products(14, {}, 7)], {
    at: 1,
    chunkSize: 6,
  })
  expect(row).toMatchObject({ is_blocked: false, prices_compared: 20, prices_moved: 6, price_factor: '3.5000' })
})

test('S2 §3.3.2: products known by their address alone are counted once each, whatever chunk they are in', async () => {
  const feed = await feeds.aFeed()
  const file: Product[] = [{ id: 'a', by: 'URL_HASH' }, { id: 'b' }, { id: 'a', by: 'URL_HASH' }, { id: 'c' }]
  expect((await feeds.run(feed, file, { chunkSize: 2 })).row.counters).toMatchObject({
    urlHashFallbackCount: 1,
    productsUpserted: 3,
  })
})

test.each([
  ['URL_HASH', 'SKU'],
  ['URL_HASH', 'IMPACT_ITEM_ID'],
  ['SKU', 'NETWORK_ITEM_ID'],
  ['SKU', 'IMPACT_ITEM_ID'],
] as const)(
  'S2 §3.3: an address that was known by %s and now has a %s becomes a new product, with a note',
  async (before, after) => {
    const feed = await feeds.aFeed({ url_hash_percent: 100 })
    const url = 'https://shop.example/thing'
    await feeds.run(feed, [{ id: 'old', by: before, url }])
    const { id, row } = await feeds.run(feed, [{ id: 'new', by: after, url }], { at: 1 })
    expect(await notes(id)).toMatchObject([
      { code: 'IDENTITY_UPGRADE_DETECTED', total: 1, line: 2, message: expect.stringContaining(before) as unknown },
    ])
    expect(row).toMatchObject({ error_count: 0, is_partial: false })
    expect(await feeds.visible(feed, 1)).toHaveLength(2)
    expect(await feeds.visible(feed, 48.001)).toMatchObject([{ id: 'new' }])
  },
)

test('S2 §3.3: each product at an address gets its note, which names the best that the address was known by', async () => {
  const feed = await feeds.aFeed({ url_hash_percent: 100 })
  const url = 'https://shop.example/thing'
  await feeds.run(feed, [{ id: 'a', by: 'URL_HASH', url }])
  await feeds.run(feed, [{ id: 'shown', url }], { at: 1 })
  const { id } = await feeds.run(
    feed,
    ['x', 'y'].map((id) => ({ id, by: 'IMPACT_ITEM_ID', url })),
    { at: 2 },
  )
  const message = expect.stringContaining('known by SKU shown and') as unknown
  expect(await notes(id)).toMatchObject([
    { total: 2, line: 2, message },
    { total: 2, line: 3, message },
  ])
})

test('FAULTS S5: new rows that all lead to one address take hardly longer than others', async () => {
  const timeOf = async (common: Omit<Product, 'id'>) => {
    const feed = await feeds.aFeed({ expire_percent: 100, expire_max_count: 100_000 })
    await feeds.run(feed, products(3_000, common))
    const begun = performance.now()
    const { row } = await feeds.run(feed, products(3_000, common, 3_001), { at: 1 })
    expect(row.counters.productsUpserted).toBe(3_000)
    return performance.now() - begun
  }
  const apart = await timeOf({})
  expect(await timeOf({ url: 'https://shop.example/' })).toBeLessThan(apart * 4) // each once went through all the others
})

test.each([
  ['a lesser identity', [{ id: 'old', by: 'IMPACT_ITEM_ID' as const }], [{ id: 'new', by: 'SKU' as const }]],
  ['a fall back to the address', [{ id: 'old', by: 'SKU' as const }], [{ id: 'new', by: 'URL_HASH' as const }]],
  ['the same identity', [{ id: 'a' }], [{ id: 'a' }]],
  ['a first run', [], [{ id: 'a', by: 'URL_HASH' as const }, { id: 'b' }]],
  [
    'two rows of one run',
    [{ id: 'z', url: 'https://shop.example/z' }],
    [{ id: 'a', by: 'URL_HASH' as const }, { id: 'b' }],
  ],
])('S2 §3.3: %s is no upgrade', async (_what, before, after) => {
  const feed = await feeds.aFeed()
  const url = 'https://shop.example/thing'
  if (before.length)
    await feeds.run(
      feed,
      before.map((row) => ({ url, ...row })),
    )
  const { id } = await feeds.run(
    feed,
    after.map((row) => ({ ...row, url })),
    { at: 1, chunkSize: 1 },
  )
  expect(await notes(id)).toEqual([])
})

test.each([1, 3])(
  'S2 §3.4: addresses that differ in case alone are noted, one note a pair (%i rows a chunk)',
  async (chunkSize) => {
    const feed = await feeds.aFeed()
    const byUrl = (url: string) => ({ id: url, by: 'URL_HASH' as const, url })
    const file = [byUrl('https://shop.example/A'), byUrl('https://shop.example/a'), byUrl('https://shop.example/b')]
    const { id, row } = await feeds.run(feed, file, { chunkSize })
    expect(await notes(id)).toMatchObject([{ code: 'PATH_CASE_COLLISION', total: 1, line: 3 }])
    expect(row).toMatchObject({ error_count: 0, counters: { productsUpserted: 3 } })
  },
)

test('S2 §3.2: one key is one product a source, and another product in another one', async () => {
  const [one, other] = [await feeds.aFeed(), await feeds.aFeed()]
  await feeds.run(one, [
    { id: 'a', price: '1.00' },
    { id: 'a', by: 'IMPACT_ITEM_ID', price: '2.00' },
  ])
  await feeds.run(other, [{ id: 'a', price: '3.00' }])
  expect((await feeds.visible(one, 0)).map(({ price }) => price).toSorted()).toEqual(['1.00', '2.00'])
  expect(await feeds.visible(other, 0)).toMatchObject([{ price: '3.00' }])
})
