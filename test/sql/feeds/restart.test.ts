import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products, type Product } from '../../support/feed-products.ts'
import { openFeedRuns, type FeedStand, type RunOptions } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const first = products(30)
/** What a second file says: some changed, some new, one twice, one implausible, some due for a heartbeat. */
const second: Product[] = [
  ...products(5, { price: '12.00' }),
  ...products(5, { title: 'changed' }, 6),
  { id: 'p11', price: '900.00' },
  ...products(14, {}, 12),
  { id: 'p1', price: '13.00' },
  ...products(3, {}, 100),
  { id: 'x', by: 'URL_HASH', url: 'https://shop.example/X' },
  { id: 'y', by: 'URL_HASH', url: 'https://shop.example/x' },
]

/** All that a run leaves, without ids and times. */
async function leavings(feed: FeedStand, runId: string, hours: number) {
  const { row } = { row: await feeds.feedRun(runId) }
  const { is_blocked, block_reasons, active_count_before, seen_success_count, would_expire_count, prices_moved } = row
  const { counters, error_count, status, found, warnings } = row
  return {
    run: { is_blocked, block_reasons, active_count_before, seen_success_count, would_expire_count, prices_moved },
    told: { counters, error_count, status, found, warnings },
    visible: await feeds.visible(feed, hours),
    prices: (await feeds.prices(feed))
      .map(({ id, amount, reason, is_held }) => [id, amount, reason, is_held].join(' '))
      .toSorted(),
    offers: await feeds.rowsOf(
      `select o.identity_value as id, o.price::text, o.version_run_id is not null as "hasVersion", p.last_seen_success_at
       from freshet.offers o join freshet.offer_presence p on p.offer_id = o.id where o.source_id = $1 order by 1`,
      feed.sourceId,
    ),
    versions: await feeds.rowsOf(
      `select o.identity_value as id, v.title, v.line, v.run_id = $2 as "isOfRun" from freshet.offer_versions v
       join freshet.offers o on o.id = v.offer_id where o.source_id = $1 order by 4, 1`,
      feed.sourceId,
      runId,
    ),
    notes: await feeds.rowsOf('select code, line from freshet.run_errors where run_id = $1 order by 1, 2', runId),
    totals: await feeds.rowsOf('select code, total from freshet.run_error_totals where run_id = $1 order by 1', runId),
  }
}

const undisturbed = await (async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, first)
  const { id } = await feeds.run(feed, second, { at: 24, chunkSize: 6 })
  return leavings(feed, id, 24)
})()

test.each<[string, RunOptions[]]>([
  ['before its first chunk', [{ dieAfter: 0 }]],
  ['after its first chunk', [{ dieAfter: 1 }]],
  ['in its middle, twice', [{ dieAfter: 3 }, { dieAfter: 2 }]],
  ['before its judgement', [{ dieAfter: 99 }]],
  ['after other chunks, which were probed', [{ dieAfter: 4, chunkSize: 3, isProbed: true }]],
])(
  'RULINGS 3: a run that is killed %s and tried again ends like one that nobody disturbed',
  async (_when, attempts) => {
    const feed = await feeds.aFeed()
    await feeds.run(feed, first)
    let jobId: string | undefined
    for (const options of attempts)
      ({ jobId } = await feeds.run(feed, second, { at: 20, chunkSize: 6, ...(jobId ? { jobId } : {}), ...options }))
    const { id, row } = await feeds.run(feed, second, { at: 24, chunkSize: 6, jobId: jobId! })
    expect(row.attempt).toBe(attempts.length + 1)
    expect(await leavings(feed, id, 24)).toEqual(undisturbed)
    expect(await feeds.rebuild(24)).toBe(0)
  },
)

test('there is something in it to go wrong', () => {
  const { counters } = undisturbed.told
  expect(counters).toMatchObject({ duplicateKeyCount: 1, productsUpserted: 30, urlHashFallbackCount: 2 })
  expect(undisturbed.totals).toEqual([
    { code: 'DUPLICATE_ROW_SAME_IDENTITY', total: 1 },
    { code: 'IMPLAUSIBLE_PRICE', total: 1 },
    { code: 'PATH_CASE_COLLISION', total: 1 },
  ])
  expect(undisturbed.prices.filter((price) => price.includes('HEARTBEAT'))).toHaveLength(19)
})

test('DESIGN 9.9: a retry whose file changed in between keeps nothing that only the first attempt saw', async () => {
  const feed = await feeds.aFeed()
  const { jobId, id } = await feeds.run(feed, products(5), { dieAfter: 1 })
  await feeds.run(feed, products(2), { at: 1, jobId })
  expect(await feeds.visibleIds(feed, 1)).toEqual(['p1', 'p2'])
  expect(await feeds.rowsOf('select from freshet.offers where source_id = $1', feed.sourceId)).toHaveLength(2)
  expect(await feeds.rowsOf('select seen from freshet.feed_run_chunks where run_id = $1', id)).toHaveLength(1)
})

test('RULINGS 3: a retry takes back nothing of other runs, nor offers that others made', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(2), { fail: { code: 'X' } })
  const before = await feeds.prices(feed)
  const { jobId } = await feeds.run(feed, products(2, { price: '12.00' }), { at: 1, dieAfter: 1 })
  await feeds.run(feed, [], { at: 2, jobId, fail: { code: 'X' } })
  expect(await feeds.prices(feed)).toEqual(before)
  expect(await feeds.rowsOf('select from freshet.offers where source_id = $1', feed.sourceId)).toHaveLength(2)
})

test('RULINGS 3: a retry leaves a new product alone that a run met which waits for approval, and approval shows it', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const { jobId } = await feeds.run(feed, [...products(20), { id: 'new' }], { at: 1, dieAfter: 1 })
  const blocked = await feeds.run(feed, [...products(10), { id: 'new' }], { at: 2 })
  await feeds.run(feed, products(20), { at: 3, jobId, fail: { code: 'PARSE_FAILED' } })
  await feeds.approve(blocked.id, 4)
  expect(await feeds.visibleIds(feed, 4)).toContain('new')
  expect(await feeds.rebuild(4)).toBe(0)
})

test('RULINGS 1: an attempt that was overtaken writes nothing more', async () => {
  const feed = await feeds.aFeed()
  const { id, jobId } = await feeds.run(feed, products(2), { dieAfter: 1 })
  await feeds.run(feed, products(2), { at: 1, jobId, dieAfter: 0 })
  for (const call of [
    () => feeds.callOf('ingest_feed_chunk', id, 1, 7, true, '{}', new Date()),
    () => feeds.callOf('conclude_feed_run', id, 1, new Date()),
    () => feeds.callOf('skip_feed_run', id, 1, 'UNCHANGED_HASH', new Date()),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'FR021' })
})

test('RULINGS 1: a job whose run has ended starts nothing', async () => {
  const feed = await feeds.aFeed()
  const { jobId } = await feeds.run(feed, products(2))
  const before = await feeds.everythingVisible(1)
  expect((await feeds.run(feed, products(9), { at: 1, jobId })).row).toMatchObject({ status: 'SUCCEEDED', attempt: 1 })
  expect(await feeds.everythingVisible(1)).toEqual(before)
})
