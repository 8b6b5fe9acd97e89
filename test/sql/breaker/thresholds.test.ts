import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products, type Product } from '../../support/feed-products.ts'
import { openFeedRuns } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const disappearance = 'SPIKE_THRESHOLD_EXCEEDED'
/** Runs one file after the other, an hour apart, and answers how the last was judged. */
async function judge(columns: object, files: Product[][], options: object = {}) {
  const feed = await feeds.aFeed({ ...columns })
  for (const [index, file] of files.slice(0, -1).entries()) await feeds.run(feed, file, { at: index })
  return (await feeds.run(feed, files.at(-1) ?? [], { at: files.length, ...options })).row
}

test.each([
  // before, seen again, per feed, blocked
  [100, 70, {}, false],
  [100, 69, {}, true],
  [30, 21, {}, false], // 30 % and 9
  [31, 22, {}, false], // 29 % and 9
  [12, 3, {}, false], // 75 %, but 9
  [12, 2, {}, true], // 83 % and 10
  [2_000, 1_501, {}, false], // 499
  [2_000, 1_500, {}, true], // 500
  [100, 89, { expire_percent: 10 }, true],
  [100, 90, { expire_percent: 10 }, false],
  [100, 69, { expire_percent: 40 }, false],
  [10, 8, { expire_percent: 10, expire_min_count: 2 }, true],
  [10, 9, { expire_percent: 5, expire_min_count: 2 }, false],
  [100, 80, { expire_max_count: 20 }, true],
  [100, 81, { expire_max_count: 20 }, false],
] as const)(
  'S2 §8.8: of %i active offers %i seen again, with %j: blocked %s',
  async (before, again, columns, isBlocked) => {
    const row = await judge(columns, [products(before), products(again)])
    expect(row).toMatchObject({
      is_blocked: isBlocked,
      block_reasons: isBlocked ? `{${disappearance}}` : '{}',
      active_count_before: before,
      seen_success_count: again,
      would_expire_count: before - again,
      products_expired: isBlocked ? null : before - again,
    })
  },
)

test('S2 §8.2: a first run has nothing active, so that nothing can vanish, whatever it brings', async () => {
  const row = await judge({}, [products(1)])
  expect(row).toMatchObject({ is_blocked: false, active_count_before: 0, seen_success_count: 0, would_expire_count: 0 })
})

test('S2 §8.2: what is new makes up for nothing that vanishes', async () => {
  const row = await judge({}, [products(20), [...products(10), ...products(500, {}, 100)]])
  expect(row).toMatchObject({ is_blocked: true, seen_success_count: 10, would_expire_count: 10 })
})

test('S2 §8.2: what had expired and is seen again makes up for nothing that vanishes either', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 2 })
  await feeds.run(feed, products(20, {}, 100))
  await feeds.run(feed, products(20), { at: 3 })
  const { row } = await feeds.run(feed, [...products(10), ...products(20, {}, 100)], { at: 4 })
  expect(row).toMatchObject({
    is_blocked: true,
    active_count_before: 20,
    seen_success_count: 10,
    would_expire_count: 10,
  })
})

test('S2 §8.2: more seen than active counts as nothing gone, with a warning', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(3))
  await feeds.pool.query('delete from freshet.current_offers where source_id = $1', [feed.sourceId])
  const { row } = await feeds.run(feed, products(3), { at: 1 })
  expect(row).toMatchObject({ is_blocked: false, active_count_before: 0, seen_success_count: 3, would_expire_count: 0 })
  expect(row.warnings.map(({ code }) => code)).toEqual(['CIRCUIT_BREAKER_NEGATIVE_EXPIRE_COUNT'])
})

const byAddress = (count: number): Product[] => products(count, { by: 'URL_HASH' })

test.each([
  [50, 50, {}, false],
  [51, 49, {}, true],
  [1, 0, {}, true],
  [1_000, 1_001, {}, false],
  [1_001, 1_001, {}, true],
  [21, 79, { url_hash_percent: 20 }, true],
  [20, 80, { url_hash_percent: 20 }, false],
  [10, 90, { url_hash_max_count: 9 }, true],
  [9, 91, { url_hash_max_count: 9 }, false],
] as const)(
  'S2 §3.3.2: %i products known by their address, %i by more, with %j: blocked %s',
  async (few, more, columns, isBlocked) => {
    const row = await judge(columns, [[...byAddress(few), ...products(more, {}, 5_000)]])
    expect(row).toMatchObject({
      is_blocked: isBlocked,
      block_reasons: isBlocked ? '{DATA_QUALITY_URL_HASH_SPIKE}' : '{}',
      status: 'SUCCEEDED',
    })
  },
)

test.each([
  [10, 10, {}, false],
  [9, 11, {}, true],
  [1, 18, {}, false], // 19 rows are too few to say
  [15, 5, { rejected_percent: 24 }, true],
  [15, 5, { rejected_percent: 25 }, false],
])('issue 5 §2: %i rows taken and %i refused, with %j: blocked %s', async (taken, rejected, columns, isBlocked) => {
  const row = await judge(columns, [products(taken)], { rejected })
  expect(row).toMatchObject({ is_blocked: isBlocked, block_reasons: isBlocked ? '{DATA_QUALITY_REJECTED_ROWS}' : '{}' })
})

test('RULINGS 23: a file without one usable row is never shown while anything is active', async () => {
  const first = await judge({}, [[]])
  expect(first).toMatchObject({ is_blocked: false })
  const later = await judge({}, [products(1), []])
  expect(later).toMatchObject({
    is_blocked: true,
    block_reasons: '{DATA_QUALITY_NO_USABLE_ROWS}',
    would_expire_count: 1,
  })
})

/** So many products of which these cost this now, and 10.00 before. */
const priced = (count: number, moved: number, price: string, currency = 'USD') => [
  ...products(moved, { price, currency }),
  ...products(count - moved, {}, moved + 1),
]

test.each([
  [20, 6, '25.00', {}, false], // 30 %
  [20, 7, '25.00', {}, true],
  [20, 20, '20.00', {}, false], // factor 2 itself
  [20, 20, '20.01', {}, true],
  [20, 20, '5.00', {}, false],
  [20, 20, '4.99', {}, true],
  [19, 19, '25.00', {}, false], // too few to say
  [20, 3, '25.00', { price_move_percent: 10 }, true],
  [20, 2, '25.00', { price_move_percent: 10 }, false],
] as const)(
  'DESIGN 9.22: of %i prices %i move from 10.00 to %s, with %j: blocked %s',
  async (count, moved, price, columns, isBlocked) => {
    const row = await judge(columns, [products(count), priced(count, moved, price)])
    expect(row).toMatchObject({
      is_blocked: isBlocked,
      block_reasons: isBlocked ? '{PRICE_SPIKE_THRESHOLD_EXCEEDED}' : '{}',
      prices_compared: count,
    })
  },
)

test.each([
  ['1000.00', '100.0000'],
  ['0.10', '0.0100'],
])('DESIGN 9.22: prices that all go to %s are told as moved by %s', async (price, factor) => {
  const row = await judge({}, [products(20), priced(20, 20, price)])
  expect(row).toMatchObject({ is_blocked: true, prices_moved: 20, price_factor: factor })
})

test('RULINGS 19: a changed currency counts as moved, and has no factor', async () => {
  const row = await judge({}, [products(20), priced(20, 20, '10.00', 'EUR')])
  expect(row).toMatchObject({ is_blocked: true, prices_compared: 20, prices_moved: 20, price_factor: null })
})

test('RULINGS 19: only visible prices are compared: new and expired offers are not', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 1 })
  await feeds.run(feed, products(30))
  await feeds.run(feed, products(25), { at: 1 })
  const { row } = await feeds.run(feed, [...products(30, { price: '25.00' }), ...products(9, {}, 100)], { at: 2 })
  expect(row).toMatchObject({ prices_compared: 25, prices_moved: 25 })
})

test('RULINGS 14: all reasons are told, in the order of judgement, the first one first', async () => {
  const feed = await feeds.aFeed({ url_hash_max_count: 1 })
  await feeds.run(feed, products(40))
  const file = [...products(20, { price: '30.00' }), ...products(5, { by: 'URL_HASH' }, 100)]
  const { row } = await feeds.run(feed, file, { at: 1, rejected: 30 })
  expect(row.block_reasons).toBe(
    '{DATA_QUALITY_REJECTED_ROWS,DATA_QUALITY_URL_HASH_SPIKE,PRICE_SPIKE_THRESHOLD_EXCEEDED,SPIKE_THRESHOLD_EXCEEDED}',
  )
  const empty = await feeds.run(feed, [], { at: 2, rejected: 30 })
  expect(empty.row.block_reasons).toBe(
    '{DATA_QUALITY_NO_USABLE_ROWS,DATA_QUALITY_REJECTED_ROWS,SPIKE_THRESHOLD_EXCEEDED}',
  )
})
