import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { products, type Product } from '../support/feed-products.ts'
import { hour, openFeedRuns } from '../support/feed-runs.ts'

/** What consumers ask at, in hours since the tests' moment. */
let now = 0
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, now: () => hour(now) })
afterAll(() => app[Symbol.asyncDispose]())
const feeds = await openFeedRuns(app)
afterAll(() => feeds[Symbol.asyncDispose]())

const offer = `id title url trackingUrl imageUrl brand category upc price originalPrice currency inStock firstSeenAt lastSeenAt
  activeUntil retailer { id slug name website domain }
  priceHistory(first: 10) { totalCount nodes { amount currency at reason promo isHeld } }`
const lists = [
  '(first: 50, orderBy: PRICE_ASC)',
  '(first: 50, orderBy: PRICE_DESC)',
  '(first: 50, filter: { brand: "Brand" })',
  '(first: 50, filter: { inStock: true })',
  '(first: 50, filter: { inStock: false })',
  '(first: 50, filter: { minPrice: "10.50" })',
]

/** Every answer that a consumer without a key gets, at this hour. */
async function everyAnswer(ids: string[]): Promise<unknown> {
  const documents = [
    `{ offers(first: 50) { totalCount pageInfo { hasNextPage } nodes { ${offer} } } }`,
    ...lists.map((list) => `{ offers${list} { totalCount nodes { id price } } }`),
    ...ids.map((id) => `{ offer(id: "${id}") { ${offer} } node(id: "${id}") { id } }`),
    '{ retailers(first: 50) { totalCount nodes { id slug name website domain logoUrl tier } } }',
  ]
  const answers = await Promise.all(documents.map((document) => app.ask(document)))
  expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([])
  return answers
}

const idsOf = async () => {
  const { data } = await app.ask<{ offers: { nodes: { id: string }[] } }>('{ offers(first: 50) { nodes { id } } }')
  return data!.offers.nodes.map(({ id }) => id)
}

const changed = { title: 'changed', price: '25.00', inStock: false, original: '99.00', promo: 'spring' }
test.each<[string, Product[], number, Record<string, unknown>]>([
  ['a disappearance', [...products(5, changed), ...products(5, {}, 6), { id: 'new' }], 0, {}],
  ['refused rows', products(20, { ...changed, price: '10.50' }), 30, {}],
  ['moved prices, where removals alone are held', products(20, changed), 0, { block_policy: 'HOLD_REMOVALS' }],
])(
  'issue 5 §3: a run blocked for %s changes no public answer, approved it does',
  async (_what, file, rejected, columns) => {
    const feed = await feeds.aFeed(columns)
    now = 0
    await feeds.run(feed, products(20))
    now = 1
    const all = await idsOf()
    expect(all).toHaveLength(20)
    const ids = [all[0]!, all.at(-1)!]
    const before = await everyAnswer(ids)
    const { id, row } = await feeds.run(feed, file, { at: 1, rejected, chunkSize: 7 })
    expect(row.is_blocked).toBe(true)
    expect(await everyAnswer(ids)).toEqual(before)
    await feeds.approve(id, 1)
    expect(await everyAnswer(ids)).not.toEqual(before)
    // What this one shows is not to stand among what the next one compares.
    await feeds.pool.query("update freshet.sources set visibility_status = 'INELIGIBLE' where id = $1", [feed.sourceId])
  },
)

test('RULINGS 21: what cannot be decided is refused by the mutation, in order: not there, busy, the rest', async () => {
  const feed = await feeds.aFeed()
  const shown = await feeds.run(feed, products(20))
  const blocked = await feeds.run(feed, products(10), { at: 1 })
  now = 2
  const decide = async (mutation: string, runId: string, rest: string) => {
    const document = `mutation ($runId: ID!) { ${mutation}(runId: $runId, ${rest}, waitSeconds: 0) { isDone } }`
    const { errors } = await app.ask(document, { runId: encodeId('FeedRun', runId) }, { key: app.firstKey })
    return errors?.map(({ extensions: { code, field } }) => `${code} ${field}`)
  }
  const approve = (runId: string, expected = 10) =>
    decide('approveActivation', runId, `expectedWouldExpire: ${expected}`)
  const reject = (runId: string) => decide('rejectActivation', runId, 'reason: "not true"')
  const jobs = async () => (await app.pool.query("select from pgboss.job where name = 'feed-decide'")).rowCount

  const run = await app.pool.connect()
  await run.query('select pg_advisory_lock(4620, $1)', [feed.id])
  expect(await approve('999999')).toEqual(['RUN_NOT_FOUND runId'])
  for (const { id } of [shown, blocked])
    expect([await approve(id), await reject(id)].flat()).toEqual(['FEED_BUSY runId', 'FEED_BUSY runId'])
  await run.query('select pg_advisory_unlock(4620, $1)', [feed.id])
  run.release()
  expect(await approve(shown.id)).toEqual(['NOT_BLOCKED runId'])
  expect(await approve(blocked.id, 9)).toEqual(['IMPACT_CHANGED runId'])
  expect(await jobs()).toBe(0)
  expect(await approve(blocked.id)).toBeUndefined()
  expect(await jobs()).toBe(1)
})
