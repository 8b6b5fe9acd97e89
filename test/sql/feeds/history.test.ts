import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { openFeedRuns } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())
const { pool } = feeds

const shown = await feeds.aFeed()
await feeds.run(shown, products(2))
const offerId = await feeds.offerId(shown, 'p1')

test.each([
  'update freshet.prices set amount = 1',
  'update freshet.prices set is_held = true where false or true',
  'delete from freshet.prices',
  'truncate freshet.prices',
  "update freshet.offer_versions set title = 'x'",
  'delete from freshet.offer_versions',
  'truncate freshet.offer_versions',
  "update freshet.promotions set kind = 'APPROVED'",
  'delete from freshet.promotions',
  'truncate freshet.promotions',
  'delete from freshet.offers', // what hangs on it would go with it
])('S2 §4.1: history is append-only: %s is refused', async (statement) => {
  await expect(pool.query(statement)).rejects.toMatchObject({ code: 'FR001' })
  expect(await feeds.prices(shown)).toHaveLength(2)
})

test('RULINGS 19: a price that an operator accepted belongs to no run, and stays as well', async () => {
  await pool.query(
    `insert into freshet.prices (offer_id, created_at, amount, currency, signature, reason)
     values ($1, now(), 1, 'USD', sha256('x'), 'ACCEPTED')`,
    [offerId],
  )
  await expect(pool.query('delete from freshet.prices where run_id is null')).rejects.toMatchObject({ code: 'FR001' })
})

test('RULINGS 12: what a run wrote that was never shown may go', async () => {
  const feed = await feeds.aFeed()
  const { id } = await feeds.run(feed, products(2), { fail: { code: 'PARSE_FAILED' } })
  expect((await pool.query('delete from freshet.prices where run_id = $1', [id])).rowCount).toBe(2)
  expect((await pool.query('delete from freshet.offer_versions where run_id = $1', [id])).rowCount).toBe(2)
})

test('S2 §18.1.1: prices has its primary key and prices_affiliate_dedupe, and no other unique index or constraint', async () => {
  const unique = await feeds.rowsOf(
    `select i.indexrelid::regclass::text as name, i.indisprimary as "isPrimary", pg_get_expr(i.indpred, i.indrelid) as predicate
     from pg_index i where i.indrelid = 'freshet.prices'::regclass and i.indisunique order by 1`,
  )
  expect(unique).toEqual([
    {
      name: 'freshet.prices_affiliate_dedupe',
      isPrimary: false,
      predicate: '((run_id IS NOT NULL) AND (NOT is_held))',
    },
    { name: 'freshet.prices_pkey', isPrimary: true, predicate: null },
  ])
  const constraints = await feeds.rowsOf(
    "select conname from pg_constraint where conrelid = 'freshet.prices'::regclass and contype in ('u', 'x')",
  )
  expect(constraints).toEqual([])
})

test('S2 §2.6: one run has one public price of one signature an offer', async () => {
  const insert = (isHeld: boolean) =>
    pool.query(
      `insert into freshet.prices (offer_id, run_id, created_at, amount, currency, signature, reason, is_held)
       select offer_id, run_id, created_at, amount, currency, signature, reason, $2 from freshet.prices
       where offer_id = $1 and run_id is not null and not is_held limit 1`,
      [offerId, isHeld],
    )
  await expect(insert(false)).rejects.toMatchObject({ code: '23505', constraint: 'prices_affiliate_dedupe' })
  expect((await insert(true)).rowCount).toBe(1)
})

/** Each number of a feed with the constraint that keeps it, its least and its greatest value. */
const ranges: [column: string, constraint: string, least: number, greatest: number][] = [
  ['port', 'port_in_range', 1, 65_535],
  ['max_file_size_bytes', 'limits_in_range', 1, 10_737_418_240],
  ['max_row_count', 'limits_in_range', 1, 10_000_000],
  ['max_product_count', 'limits_in_range', 1, 10_000_000],
  ['hold_hours', 'hold_hours_in_range', 1, 720],
  ['price_heartbeat_hours', 'price_heartbeat_hours_in_range', 1, 720],
  ['expire_percent', 'expire_thresholds_in_range', 1, 100],
  ['expire_min_count', 'expire_thresholds_in_range', 1, 10_000],
  ['expire_max_count', 'expire_thresholds_in_range', 1, 1_000_000],
  ['url_hash_percent', 'url_hash_thresholds_in_range', 1, 100],
  ['url_hash_max_count', 'url_hash_thresholds_in_range', 1, 10_000_000],
  ['rejected_percent', 'rejected_percent_in_range', 1, 100],
  ['price_move_percent', 'price_move_percent_in_range', 1, 100],
]

test.each([
  ...ranges.flatMap(([column, constraint, least, greatest]) => [
    [`feeds.${column} = ${least - 1}`, constraint],
    [`feeds.${column} = ${greatest + 1}`, constraint],
  ]),
  ['sources.expiry_hours = 0', 'expiry_hours_in_range'],
  ['sources.expiry_hours = 169', 'expiry_hours_in_range'],
  ['feeds.consecutive_failures = -1', 'failures_count_from_zero'],
  ['feeds.secret_version = 0', 'secret_version_counts_from_one'],
  ["feeds.default_currency = 'usd'", 'currency_is_iso_4217'],
  ["feeds.default_currency = 'US'", 'currency_is_iso_4217'],
  ["feeds.host = 'ftp://feeds.example'", 'host_is_plain'],
  ["feeds.host = 'user@feeds.example'", 'host_is_plain'],
  ["feeds.path = 'catalog.csv'", 'path_is_absolute'],
  ["feeds.path = '/'", 'path_is_absolute'],
  ["feeds.path = '/' || repeat('a', 1024)", 'path_is_absolute'],
  ["feeds.tls_mode = 'EXPLICIT'", 'tls_mode_is_for_ftps'], // of a feed over SFTP
  ["feeds.transport = 'FTPS'", 'tls_mode_is_for_ftps'],
  ['feeds.host = null', 'enabled_knows_its_file'],
  ['feeds.path = null', 'enabled_knows_its_file'],
  ['feeds.username = null', 'enabled_knows_its_file'],
  ["feeds.secret_ciphertext = '\\x00'", 'secret_names_its_key'],
  ["feeds.last_content_hash = '\\x00'", 'content_hash_is_sha256'],
  ["feeds.column_map = '[]'", 'column_map_is_an_object'],
])('S2 §2.8.1: the database itself refuses %s', async (what, constraint) => {
  const [, table, assignment] = /^(\w+)\.(.+)$/s.exec(what)!
  await expect(pool.query(`update freshet.${table} set ${assignment}`)).rejects.toMatchObject({
    code: '23514',
    constraint,
  })
})

test.each(ranges)(
  'S2 §2.8.1: the database takes both bounds of feeds.%s',
  async (column, _constraint, least, greatest) => {
    for (const value of [least, greatest])
      expect((await pool.query(`update freshet.feeds set ${column} = $1`, [value])).rowCount).toBeGreaterThan(0)
  },
)

test.each(['0', '-1', '10000000'])('a price of %s is none', async (amount) => {
  const insert = pool.query(
    `insert into freshet.prices (offer_id, created_at, amount, currency, signature, reason) values ($1, now(), $2, 'USD', sha256('y'), 'NEW')`,
    [offerId, amount],
  )
  await expect(insert).rejects.toMatchObject({ constraint: 'amount_in_range' })
})
