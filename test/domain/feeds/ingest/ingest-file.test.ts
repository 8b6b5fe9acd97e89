import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { queryRows } from '../../../../src/db/sql.ts'
import { concludeFeedRun } from '../../../../src/domain/feeds/conclude-feed-run.ts'
import { readFeedForRun } from '../../../../src/domain/feeds/feed-for-run.ts'
import { ingestFile } from '../../../../src/domain/feeds/ingest/ingest-file.ts'
import { executeRun } from '../../../../src/domain/runs/execute-run.ts'
import { createLog, withLogFields } from '../../../../src/log.ts'
import { cloneDatabase } from '../../../support/database.ts'
import { impactCsv, openBytes, productsOf } from '../../../support/feed-files.ts'
import { collectLines } from '../../../support/lines.ts'
import { makeJob, makeQueue } from '../../../support/queue.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const queue = 'trial-feed'
await makeQueue(pool, queue)
const log = createLog({ level: 'debug', destination: collectLines().stream })

let made = 0
async function makeFeed(maxProducts = 500_000): Promise<{ feedId: string; sourceId: string }> {
  made += 1
  const [row] = await queryRows<{ feedId: string; sourceId: string }>(
    pool,
    `with r as (insert into freshet.retailers (slug, name) values ($1, $1) returning id),
      s as (
        insert into freshet.sources (retailer_id, name, kind, affiliate_network, is_display_primary)
        select id, $1, 'AFFILIATE_FEED', 'IMPACT', true from r returning id
      )
    insert into freshet.feeds (source_id, status, dialect, host, path, username, max_product_count)
    select id, 'ENABLED', 'IMPACT', 'feeds.example', '/catalog.csv', 'user', $2 from s
    returning id::text as "feedId", source_id::text as "sourceId"`,
    [`shop-${made}`, maxProducts],
  )
  if (!row) throw new Error('No feed was made.')
  return row
}

const never = new AbortController().signal

async function ingest(
  feed: { feedId: string; sourceId: string },
  bytes: string | Uint8Array,
  { at = new Date(), chunkSize = 1_000 } = {},
) {
  const jobId = await makeJob(pool, queue, { state: 'active' })
  const lock = { lockClass: 4620, lockId: Number(feed.feedId) }
  await using handle = await openBytes(bytes)
  let runId = ''
  const job = { pool, directUrl: database.url, log, now: () => at, isLastAttempt: true, signal: never, stopping: never }
  await withLogFields({}, () =>
    executeRun({ jobId, lock, kind: 'FEED', trigger: 'MANUAL', sourceId: feed.sourceId }, job, async (run) => {
      runId = run.runId
      const settings = await readFeedForRun(run.sql, feed.feedId, runId)
      await ingestFile(run, handle, settings, { now: () => at, log, stopping: never, chunkSize })
      await concludeFeedRun(run, settings, at, log)
    }),
  ).catch((error: unknown) => {
    if (process.env.SHOW) console.error(error)
    if (!runId) throw error
  })
  const [run] = await queryRows(
    pool,
    `select r.status, r.error_code, r.error_message, r.counters, f.is_blocked, f.block_reasons::text[], f.products_expired, f.is_partial
     from freshet.runs r join freshet.feed_runs f on f.run_id = r.id where r.id = $1`,
    [runId],
  )
  return run as Record<string, unknown>
}

const visible = (sourceId: string, at: Date) =>
  queryRows<{ title: string; price: string; url: string }>(
    pool,
    'select title, price::text, url, in_stock from freshet.visible_offers($2) where source_id = $1 order by offer_id',
    [sourceId, at],
  )

test('a file becomes offers that consumers see', async () => {
  const feed = await makeFeed()
  const at = new Date('2026-03-01T10:00:00Z')
  const run = await ingest(feed, gzipSync(impactCsv(productsOf(2_500, (n) => ({ price: `${n}.50` })))), { at })
  expect(run).toMatchObject({
    status: 'SUCCEEDED',
    error_code: null,
    is_blocked: false,
    counters: { rowsRead: 2_500, rowsParsed: 2_500, productsUpserted: 2_500, pricesWritten: 2_500 },
  })
  const offers = await visible(feed.sourceId, at)
  expect(offers).toHaveLength(2_500)
  expect(offers[0]).toEqual({ title: 'Product i1', price: '1.50', url: 'https://shop.example/p/i1', in_stock: true })
})

test('a second file that loses many rows is blocked and changes nothing', async () => {
  const feed = await makeFeed()
  const at = new Date('2026-03-01T10:00:00Z')
  await ingest(feed, impactCsv(productsOf(100)), { at })
  const before = await visible(feed.sourceId, at)
  const run = await ingest(feed, impactCsv(productsOf(60, () => ({ price: '11.00', title: 'New' }))), {
    at: new Date('2026-03-01T11:00:00Z'),
  })
  expect(run).toMatchObject({ status: 'SUCCEEDED', is_blocked: true, block_reasons: ['SPIKE_THRESHOLD_EXCEEDED'] })
  expect(await visible(feed.sourceId, at)).toEqual(before)
})

test('unchanged rows write nothing, changed ones are shown', async () => {
  const feed = await makeFeed()
  const at = new Date('2026-03-01T10:00:00Z')
  await ingest(feed, impactCsv(productsOf(50)), { at })
  const run = await ingest(feed, impactCsv(productsOf(50, (n) => (n === 7 ? { price: '12.00' } : {}))), {
    at: new Date('2026-03-01T11:00:00Z'),
  })
  expect(run).toMatchObject({ counters: { productsUpserted: 50, pricesWritten: 1 }, is_blocked: false })
  expect((await visible(feed.sourceId, at)).filter(({ price }) => price === '12.00')).toHaveLength(1)
})

const notesOf = (sourceId: string) =>
  queryRows<{ code: string; line: number; details: object }>(
    pool,
    `select e.code, e.line, e.details from freshet.run_errors e join freshet.runs r on r.id = e.run_id
     where r.source_id = $1 order by e.id`,
    [sourceId],
  )

test('issue 5 §2: a refused row is kept with its code, line, column and what stood there; the others are shown', async () => {
  const feed = await makeFeed()
  const at = new Date('2026-03-01T10:00:00Z')
  const run = await ingest(feed, impactCsv(productsOf(30, (n) => (n === 7 ? { price: 'POA' } : {}))), {
    at,
    chunkSize: 10,
  })
  expect(run).toMatchObject({ status: 'SUCCEEDED', is_blocked: false, is_partial: true })
  expect(run.counters).toMatchObject({ rowsRead: 30, rowsParsed: 29, productsRejected: 1, productsUpserted: 29 })
  expect(await visible(feed.sourceId, at)).toHaveLength(29)
  expect(await notesOf(feed.sourceId)).toMatchObject([
    {
      code: 'PRICE_ON_REQUEST',
      line: 8,
      details: { field: 'salePrice', column: 'CurrentPrice', row: { CurrentPrice: 'POA' } },
    },
  ])
})

test.each([
  [20, 20, 'SUCCEEDED', null, 20],
  [20, 19, 'FAILED', 'UNIQUE_PRODUCT_LIMIT_EXCEEDED', 0],
])(
  'S2 §7.3.1: of a file of %i products, where %i are allowed, the run is %s (%s), and %i are shown',
  async (count, allowed, status, code, shown) => {
    const feed = await makeFeed(allowed)
    const at = new Date('2026-03-01T10:00:00Z')
    const twice = impactCsv([...productsOf(count), ...productsOf(count)])
    expect(await ingest(feed, twice, { at, chunkSize: 10 })).toMatchObject({
      status,
      error_code: code,
      is_partial: status === 'FAILED',
    })
    expect(await visible(feed.sourceId, at)).toHaveLength(shown)
    const alerts = await queryRows(pool, 'select kind from freshet.alerts where source_id = $1', [feed.sourceId])
    expect(alerts).toEqual(status === 'FAILED' ? [{ kind: 'FEED_RUN_FAILED' }] : [])
  },
)

test('S2 §4.2: another promotion is another price, kept with it', async () => {
  const feed = await makeFeed()
  const file = (coupon: string) =>
    `CatalogItemId,Name,Url,Price,Coupon Code\n1,A,https://shop.example/1,9.99,${coupon}\n`
  const counts: unknown[] = []
  for (const [hour, coupon] of ['', 'SAVE5', 'SAVE5', ''].entries()) {
    const run = await ingest(feed, file(coupon), { at: new Date(Date.UTC(2026, 2, 1, hour)) })
    counts.push((run.counters as Record<string, number>).pricesWritten)
  }
  expect(counts).toEqual([1, 1, 0, 1])
  const prices = await queryRows(
    pool,
    'select p.promo, p.reason from freshet.prices p join freshet.offers o on o.id = p.offer_id where o.source_id = $1 order by p.id',
    [feed.sourceId],
  )
  expect(prices).toEqual([
    { promo: null, reason: 'NEW' },
    { promo: { couponCode: 'SAVE5' }, reason: 'CHANGED' },
    { promo: null, reason: 'CHANGED' },
  ])
})

test('issue 5 §2: a run says which decimal mark it went by, who said so, and where it had to guess', async () => {
  const at = new Date('2026-03-01T10:00:00Z')
  const found = async (prices: string[], mark: string | null = null) => {
    const feed = await makeFeed()
    await pool.query('update freshet.feeds set decimal_mark = $2::freshet.feed_decimal_mark where id = $1', [
      feed.feedId,
      mark,
    ])
    await ingest(feed, impactCsv(productsOf(prices.length, (n) => ({ price: prices[n - 1]! }))), { at })
    const [run] = await queryRows<{ mark: string | null; who: string | null; warnings: { code: string }[] }>(
      pool,
      `select found ->> 'decimalMark' as mark, found ->> 'decimalMarkFrom' as who, warnings from freshet.feed_runs
       where feed_id = $1`,
      [feed.feedId],
    )
    const shown = (await visible(feed.sourceId, at)).map(({ price }) => price)
    return { mark: run?.mark, who: run?.who, warnings: run?.warnings.map(({ code }) => code), shown }
  }
  expect(await found(['12.990', '24.50'])).toEqual({
    mark: 'POINT',
    who: 'FILE',
    warnings: [],
    shown: ['12.990', '24.50'],
  })
  expect(await found(['12.990', '24,50'])).toEqual({
    mark: 'COMMA',
    who: 'FILE',
    warnings: [],
    shown: ['12990', '24.50'],
  })
  expect(await found(['12.990'], 'POINT')).toEqual({ mark: 'POINT', who: 'SETTING', warnings: [], shown: ['12.990'] })
  const unclear = { mark: null, who: null, warnings: ['DECIMAL_MARK_UNCLEAR'] }
  expect(await found(['12.990', '24.50', '24,50'])).toEqual({ ...unclear, shown: ['12990', '24.50', '24.50'] })
})

const family = (...rows: [sku: string, parent: string, price?: string, item?: string][]) =>
  [
    'SKU,Parent SKU,Name,Url,Price,CatalogItemId',
    ...rows.map(([sku, parent, price = '10.00', item = '']) =>
      [sku, parent, `Product ${sku}`, `https://shop.example/${sku}`, price, item].join(','),
    ),
  ].join('\n')
const titles = async (sourceId: string, at: Date) =>
  (await visible(sourceId, at)).map(({ title }) => title.replace('Product ', '')).toSorted()

test.each<[string, ReturnType<typeof family>]>([
  ['before them', family(['p', ''], ['v1', 'p'], ['v2', 'p'], ['s', ''])],
  ['behind them', family(['v1', 'p'], ['v2', 'p'], ['s', ''], ['p', ''])],
  ['among them, with its own id', family(['v1', 'p'], ['p', '', '9.00', 'i9'], ['v2', 'p'], ['s', ''])],
])('RULINGS 25: a parent that only its variants name is left out and counted, %s', async (_where, file) => {
  for (const chunkSize of [1, 1_000]) {
    const feed = await makeFeed()
    const at = new Date('2026-03-01T10:00:00Z')
    const run = await ingest(feed, file, { at, chunkSize })
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      counters: { rowsRead: 4, rowsParsed: 3, parentRowsSkipped: 1, productsUpserted: 3, pricesWritten: 3 },
    })
    expect(await titles(feed.sourceId, at)).toEqual(['s', 'v1', 'v2'])
    expect(await notesOf(feed.sourceId)).toMatchObject([
      { code: 'PARENT_ROW_SKIPPED', line: file.split('\n').findIndex((row) => row.startsWith('p,')) + 1 },
    ])
    const { rows } = await pool.query('select 1 from freshet.offers where source_id = $1', [feed.sourceId])
    expect(rows).toHaveLength(3)
  }
})

test('RULINGS 25: what was a product and becomes a parent is seen no more, whether its row changed or not', async () => {
  for (const price of ['10.00', '11.00']) {
    const feed = await makeFeed()
    const [first, second] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-01T11:00:00Z')]
    await ingest(feed, family(['p', ''], ['s', '']), { at: first })
    const run = await ingest(feed, family(['p', '', price], ['s', ''], ['v', 'p']), { at: second, chunkSize: 1 })
    expect(run).toMatchObject({ counters: { parentRowsSkipped: 1, productsUpserted: 2, pricesWritten: 1 } })
    const { rows } = await pool.query(
      `select v.sku, p.last_seen_success_at as seen, o.price::text
       from freshet.offers o join freshet.offer_presence p on p.offer_id = o.id
       join freshet.offer_versions v on v.offer_id = o.id and v.run_id = o.version_run_id where o.source_id = $1 order by v.sku`,
      [feed.sourceId],
    )
    expect(rows).toEqual([
      { sku: 'p', seen: first, price: '10.00' },
      { sku: 's', seen: second, price: '10.00' },
      { sku: 'v', seen: second, price: '10.00' },
    ])
  }
})

test('RULINGS 25: a group that is named by no row of its own, and GENERIC, leave nothing out', async () => {
  const feed = await makeFeed()
  const at = new Date('2026-03-01T10:00:00Z')
  expect(await ingest(feed, family(['v1', 'g'], ['v2', 'g']), { at })).toMatchObject({ counters: { rowsParsed: 2 } })
  const other = await makeFeed()
  await pool.query("update freshet.feeds set dialect = 'GENERIC' where id = $1", [other.feedId])
  await ingest(other, family(['p', ''], ['v', 'p']), { at })
  expect(await titles(other.sourceId, at)).toEqual(['p', 'v'])
})
