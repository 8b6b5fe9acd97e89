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

test.each([
  ['expiry hours of 0', 'update freshet.sources set expiry_hours = 0', 'expiry_hours_in_range'],
  ['expiry hours of 169', 'update freshet.sources set expiry_hours = 169', 'expiry_hours_in_range'],
  ['a heartbeat of 0', 'update freshet.feeds set price_heartbeat_hours = 0', 'price_heartbeat_hours_in_range'],
  ['a heartbeat of 721', 'update freshet.feeds set price_heartbeat_hours = 721', 'price_heartbeat_hours_in_range'],
  ['a share of 0', 'update freshet.feeds set expire_percent = 0', 'expire_thresholds_in_range'],
  ['a share of 101', 'update freshet.feeds set url_hash_percent = 101', 'url_hash_thresholds_in_range'],
  ['hold hours of 721', 'update freshet.feeds set hold_hours = 721', 'hold_hours_in_range'],
])('S2 §2.8.1: the database itself refuses %s', async (_what, statement, constraint) => {
  await expect(pool.query(statement)).rejects.toMatchObject({ code: '23514', constraint })
})

test.each(['0', '-1', '10000000'])('a price of %s is none', async (amount) => {
  const insert = pool.query(
    `insert into freshet.prices (offer_id, created_at, amount, currency, signature, reason) values ($1, now(), $2, 'USD', sha256('y'), 'NEW')`,
    [offerId, amount],
  )
  await expect(insert).rejects.toMatchObject({ constraint: 'amount_in_range' })
})
