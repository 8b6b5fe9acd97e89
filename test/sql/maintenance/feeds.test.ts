import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const days = 24
const upkeep = (name: string, keep: string, hours: number, maxRows = 1_000) =>
  feeds.callOf<number>(name, keep, hour(hours), maxRows)
const shelve = (hours: number, maxRows?: number) => upkeep('shelve_expired_offers', '14 days', hours, maxRows)
const prune = (hours: number, maxRows?: number) => upkeep('prune_feed_runs', '30 days', hours, maxRows)
const warn = (hours: number) => upkeep('warn_expiring_offers', '0 hours', hours)
const kept = async (feed: FeedStand) =>
  (await feeds.rowsOf('select from freshet.current_offers where source_id = $1', feed.sourceId)).length
const clear = () => Promise.all([shelve(900_000, 100_000), prune(900_000, 100_000)]) // what earlier tests left

test('RULINGS 17: what expired 14 days ago leaves the read side, a moment earlier it stays', async () => {
  await clear()
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(3))
  await feeds.run(feed, products(2), { at: 1 })
  const due = 48 + 14 * days
  expect([await shelve(due), await kept(feed)]).toEqual([0, 3])
  expect([await shelve(due + 0.001), await kept(feed)]).toEqual([1, 2])
  expect(await shelve(due + 0.001)).toBe(0)
  expect(await feeds.rebuild(due + 0.001, feed)).toBe(0)
})

test('RULINGS 17: what is seen again comes back to the read side, though nothing about it changed', async () => {
  await clear()
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(3))
  await shelve(1_000)
  expect(await kept(feed)).toBe(0)
  await feeds.run(feed, products(3), { at: 1_001, isProbed: true })
  expect(await feeds.visible(feed, 1_001)).toHaveLength(3)
  expect(await feeds.rebuild(1_001, feed)).toBe(0)
})

test('RULINGS 17: a hold keeps its offers on the read side', async () => {
  await clear()
  const feed = await feeds.aFeed({ hold_hours: 720 })
  await feeds.run(feed, products(20))
  await feeds.run(feed, products(5), { at: 1 })
  expect(await shelve(720)).toBe(0)
  expect(await feeds.visible(feed, 720)).toHaveLength(20)
})

test('shelve_expired_offers takes at most as many rows as it is told', async () => {
  await clear()
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(5))
  expect([await shelve(1_000, 3), await shelve(1_000, 3), await shelve(1_000, 3)]).toEqual([3, 2, 0])
})

test('what a run is just promoting is not shelved, and what is just shelved is put back by it', async () => {
  await clear()
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(3))
  const { id } = await feeds.run(feed, products(3), { at: 1_000, dieAfter: 1 })
  const [promoting, shelving] = [await feeds.pool.connect(), await feeds.pool.connect()]
  await promoting.query('begin')
  await promoting.query('select freshet.conclude_feed_run($1, 1, $2)', [id, hour(1_000)])
  expect(await shelve(1_000)).toBe(0)
  await promoting.query('commit')
  expect(await feeds.visible(feed, 1_000)).toHaveLength(3)

  const next = await feeds.run(feed, products(3), { at: 2_000, dieAfter: 1 })
  await shelving.query('begin')
  await shelving.query("select freshet.shelve_expired_offers('14 days', $1, 100)", [hour(2_000)])
  const concluded = promoting.query('select freshet.conclude_feed_run($1, 1, $2)', [next.id, hour(2_000)])
  await expect
    .poll(
      async () =>
        (
          await feeds.pool.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          )
        ).rowCount,
    )
    .toBe(1)
  await shelving.query('commit')
  await concluded
  expect(await feeds.visible(feed, 2_000)).toHaveLength(3)
  for (const client of [promoting, shelving]) client.release()
})

const chunksOf = async (runId: string) =>
  (await feeds.rowsOf('select from freshet.feed_run_chunks where run_id = $1', runId)).length
const versionsOf = async (runId: string) =>
  (await feeds.rowsOf('select from freshet.offer_versions where run_id = $1', runId)).length

test('DESIGN 9.19: after 30 days the seen set of a run goes, its own row and what it showed stay', async () => {
  await clear()
  const feed = await feeds.aFeed()
  const old = await feeds.run(feed, products(20))
  const current = await feeds.run(feed, products(20, { price: '11.00' }), { at: 1 })
  expect(await prune(30 * days - 0.001)).toBe(0)
  expect(await prune(30 * days)).toBe(1)
  expect([await chunksOf(old.id), await versionsOf(old.id), (await feeds.prices(feed)).length]).toEqual([0, 20, 40])
  expect(await feeds.feedRun(old.id)).toMatchObject({ status: 'SUCCEEDED', counters: { productsUpserted: 20 } })
  expect(await prune(400 * days)).toBe(0) // what is shown now keeps its set
  expect(await chunksOf(current.id)).toBe(1)
})

test('RULINGS 15: what waits for a decision keeps its set; once it is decided or stale, what it wrote goes with it', async () => {
  await clear()
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const stale = await feeds.run(feed, products(5, { title: 'changed', price: '11.00' }), { at: 1 })
  const pending = await feeds.run(feed, products(6, { title: 'changed', price: '12.00' }), { at: 2 })
  const failed = await feeds.run(feed, products(7, { title: 'changed' }), { at: 3, fail: { code: 'X' } })
  expect(await prune(40 * days)).toBe(2)
  const left = async () =>
    Promise.all([stale, pending, failed].map(async ({ id }) => [await chunksOf(id), await versionsOf(id)]))
  expect(await left()).toEqual([
    [0, 0],
    [1, 6],
    [0, 0],
  ])
  await feeds.approve(pending.id, 40 * days)
  expect(await feeds.visible(feed, 40 * days)).toHaveLength(6)
  expect(await feeds.rebuild(40 * days, feed)).toBe(0)
})

test('RULINGS 12: a rejected run can never be shown: what it wrote goes after 30 days', async () => {
  await clear()
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const { id } = await feeds.run(feed, products(5, { title: 'changed' }), { at: 1 })
  await feeds.reject(id, 2)
  expect([await prune(40 * days), await versionsOf(id)]).toEqual([1, 0])
})

test('prune_feed_runs takes at most as many chunks as it is told, the oldest first', async () => {
  await clear()
  const feed = await feeds.aFeed()
  const old = await feeds.run(feed, products(20), { chunkSize: 5 })
  await feeds.run(feed, products(20), { at: 1 })
  expect([
    await prune(40 * days, 3),
    await chunksOf(old.id),
    await prune(40 * days, 3),
    await chunksOf(old.id),
  ]).toEqual([3, 1, 1, 0])
})

const alerts = (feed: FeedStand) =>
  feeds.rowsOf<{
    severity: string
    message: string
    times_raised: number
    isOpen: boolean
    details: { offers: number }
  }>(
    `select severity, message, times_raised, resolved_at is null as "isOpen", details from freshet.alerts
     where source_id = $1 and kind = 'OFFERS_EXPIRING' order by id`,
    feed.sourceId,
  )
/** Every alert is told of on the queue; what others' feeds do in these hours is of no interest here. */
const silence = () =>
  feeds.pool.query(
    "update freshet.alerts set resolved_at = now() where resolved_at is null and kind = 'OFFERS_EXPIRING'",
  )

test('RULINGS 27: at half and at nine tenths of expiryHours without a promotion it is said how many expire when, once each', async () => {
  const feed = await feeds.aFeed({}, { expiry_hours: 100 })
  await feeds.run(feed, products(3))
  await warn(49.999)
  expect(await alerts(feed)).toEqual([])
  await warn(50)
  await warn(51)
  await warn(89.999)
  expect(await alerts(feed)).toMatchObject([{ severity: 'P2', times_raised: 1, isOpen: true, details: { offers: 3 } }])
  await warn(90)
  await warn(99)
  const at = hour(100).toISOString().replace('.000', '')
  const [alert] = await alerts(feed)
  expect(alert).toMatchObject({ severity: 'P1', times_raised: 2 })
  expect(alert?.message).toContain(`3 offers of `)
  expect(alert?.message).toContain(`expire from ${at} on (in 10.0 h): no run of its feed was promoted.`)
  await feeds.run(feed, products(3), { at: 99 })
  expect(await alerts(feed)).toMatchObject([{ isOpen: false }])
})

test('RULINGS 27: the alert names a feed that was paused as the cause', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(3))
  await feeds.callOf('set_feed_status', feed.id, 'PAUSED', 'Paused.')
  await warn(24)
  expect((await alerts(feed))[0]?.message).toContain('its feed is PAUSED')
})

test('RULINGS 27: nothing is said where nothing was shown, or all has expired', async () => {
  const [never, empty, over] = [await feeds.aFeed(), await feeds.aFeed(), await feeds.aFeed()]
  await feeds.run(over, products(3))
  await feeds.run(empty, [])
  await warn(48)
  expect(await alerts(empty)).toEqual([])
  await silence()
  await warn(48.001)
  expect([await alerts(never), (await alerts(over)).filter(({ isOpen }) => isOpen)]).toEqual([[], []])
})

test('RULINGS 13: while a block holds the clock, what counts down is the hold; a rejection begins with what is left', async () => {
  const feed = await feeds.aFeed({ hold_hours: 100 }, { expiry_hours: 100 })
  await feeds.run(feed, products(20))
  const { id } = await feeds.run(feed, products(5), { at: 10 })
  await warn(59.999)
  expect(await alerts(feed)).toEqual([])
  await warn(60)
  await warn(99)
  const [held] = await alerts(feed)
  expect(held).toMatchObject({ severity: 'P2', times_raised: 1 })
  expect(held?.message).toContain('a blocked run waits for a decision')
  await feeds.reject(id, 100)
  await warn(139.999) // 10 h were used before the block, 40 h since
  expect((await alerts(feed)).map(({ isOpen }) => isOpen)).toEqual([false])
  await warn(140)
  expect((await alerts(feed)).map(({ severity, isOpen }) => [severity, isOpen])).toEqual([
    ['P2', false],
    ['P2', true],
  ])
})

test('RULINGS 14: under HOLD_REMOVALS a run that is shown while a block is pending leaves its countdown open', async () => {
  const feed = await feeds.aFeed({ hold_hours: 100, block_policy: 'HOLD_REMOVALS' })
  await feeds.run(feed, products(20))
  await feeds.run(feed, products(5), { at: 10 })
  await warn(60)
  const again = await feeds.run(feed, products(5), { at: 61 })
  expect(again.row.is_blocked).toBe(true)
  expect(await alerts(feed)).toMatchObject([{ isOpen: true }])
  await feeds.approve(again.id, 62)
  expect(await alerts(feed)).toMatchObject([{ isOpen: false }])
})
