import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const presence = (sourceId: string) =>
  feeds.rowsOf<{ id: string; last_seen_at: Date; last_seen_success_at: Date | null }>(
    `select o.identity_value as id, p.last_seen_at, p.last_seen_success_at
     from freshet.offers o join freshet.offer_presence p on p.offer_id = o.id where o.source_id = $1 order by 1`,
    sourceId,
  )

test('S2 §2.7: what a first run saw is pending until it is promoted, then active', async () => {
  const feed = await feeds.aFeed()
  const { jobId } = await feeds.run(feed, products(2), { at: 1, dieAfter: 1 })
  expect(await presence(feed.sourceId)).toEqual([
    { id: 'p1', last_seen_at: hour(1), last_seen_success_at: null },
    { id: 'p2', last_seen_at: hour(1), last_seen_success_at: null },
  ])
  expect(await feeds.visible(feed, 1)).toEqual([])
  await feeds.run(feed, products(2), { at: 2, jobId })
  expect(await presence(feed.sourceId)).toEqual([
    { id: 'p1', last_seen_at: hour(2), last_seen_success_at: hour(2) },
    { id: 'p2', last_seen_at: hour(2), last_seen_success_at: hour(2) },
  ])
  expect(await feeds.visible(feed, 2)).toEqual([
    { id: 'p1', title: 'Title of p1', price: '10.00', currency: 'USD', in_stock: true, original: null },
    { id: 'p2', title: 'Title of p2', price: '10.00', currency: 'USD', in_stock: true, original: null },
  ])
})
