import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { hour } from '../support/feed-runs.ts'
import { anOffer, aPrice, aFeed, type OfferColumns } from '../support/offers.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { statementsOf } from '../support/statements.ts'

let now = hour(1)
const app = await startTestApp({ now: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app

type Node = { title: string; price: string }
type Page = { nodes: Node[]; totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string | null } }

const document = `query ($first: Int, $after: String, $orderBy: OfferOrderBy, $filter: OfferFilter) {
  offers(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
    totalCount nodes { title price } pageInfo { hasNextPage endCursor }
  }
}`

async function offers(filter: object, args: object = {}): Promise<Page> {
  const { data, errors } = await app.ask<{ offers: Page }>(document, { first: 100, filter, ...args })
  expect(errors).toBeUndefined()
  return data!.offers
}
const titles = async (filter: object, args: object = {}): Promise<string[]> =>
  (await offers(filter, args)).nodes.map(({ title }) => title)

/** A source that consumers see, with a feed. */
async function aShop(columns: object = {}): Promise<{ id: string; sourceId: string; retailerId: string }> {
  const retailer = await aRetailer(pool)
  const id = await aSource(pool, retailer, { kind: 'AFFILIATE_FEED', is_display_primary: true, ...columns })
  await aFeed(pool, id)
  return { id, sourceId: encodeId('Source', id), retailerId: encodeId('Retailer', retailer) }
}

const shop = await aShop()
const other = await aShop()
const seen = { at: hour(0) }
await anOffer(pool, shop.id, { ...seen, title: 'cheap', price: '9.99', brand: 'Acme', upc: '00012345678905' })
await anOffer(pool, shop.id, { ...seen, title: 'middle', price: '10.00', brand: 'ACME', inStock: false })
await anOffer(pool, shop.id, { ...seen, title: 'dear', price: '10.01', brand: 'Acme Pro' })
await anOffer(pool, shop.id, { ...seen, title: 'plain', price: '250.00' })
await anOffer(pool, other.id, { ...seen, title: 'elsewhere', price: '10.00', brand: 'acme', upc: '00012345678905' })
const here = { sourceId: shop.sourceId }

test.each<[string, object, string[]]>([
  ['nothing', {}, ['cheap', 'middle', 'dear', 'plain', 'elsewhere']],
  ['a source', here, ['cheap', 'middle', 'dear', 'plain']],
  ['a retailer', { retailerId: other.retailerId }, ['elsewhere']],
  ['a brand, in any case, but whole', { brand: 'aCmE' }, ['cheap', 'middle', 'elsewhere']],
  ['a product code, with its zeros', { upc: '00012345678905' }, ['cheap', 'elsewhere']],
  ['a product code without its zeros', { upc: '12345678905' }, []],
  ['a lowest price, which is within', { ...here, minPrice: '10.00' }, ['middle', 'dear', 'plain']],
  ['a highest price, which is within', { ...here, maxPrice: '10.00' }, ['cheap', 'middle']],
  ['both', { minPrice: '10', maxPrice: '10.005' }, ['middle', 'elsewhere']],
  ['what is to be had', { ...here, inStock: true }, ['cheap', 'dear', 'plain']],
  ['what is not', { ...here, inStock: false }, ['middle']],
  ['several at once', { ...here, brand: 'acme', inStock: true, maxPrice: '9.99' }, ['cheap']],
  [
    'nulls, which ask for nothing',
    { ...here, brand: null, minPrice: null, inStock: null },
    ['cheap', 'middle', 'dear', 'plain'],
  ],
])('issue 5 §6: offers are filtered by %s', async (_what, filter, expected) => {
  expect(await titles(filter)).toEqual(expected)
  expect((await offers(filter)).totalCount).toBe(expected.length)
})

test('issue 5 §6: offers come in the order asked for, equal prices by id', async () => {
  const cheapFirst = ['cheap', 'middle', 'elsewhere', 'dear', 'plain']
  expect(await titles({}, { orderBy: 'PRICE_ASC' })).toEqual(cheapFirst)
  expect(await titles({}, { orderBy: 'PRICE_DESC' })).toEqual(cheapFirst.toReversed())
})

test.each(['ID', 'PRICE_ASC', 'PRICE_DESC'])(
  'issue 5 §6: pages by %s pass nobody over and nobody twice, also among equal prices and where offers appear between two',
  async (orderBy) => {
    const own = await aShop()
    const filter = { sourceId: own.sourceId }
    for (let n = 0; n < 7; n++) await anOffer(pool, own.id, { ...seen, title: `o${n}`, price: n % 2 ? '5.50' : '5.5' })
    const walked: string[] = []
    for (let after: string | null = null, turn = 0; ; turn++) {
      const { nodes, pageInfo }: Page = await offers(filter, { orderBy, first: 2, after })
      walked.push(...nodes.map(({ title }) => title))
      if (turn === 1) await anOffer(pool, own.id, { ...seen, title: 'late', price: '1.00' })
      if (!pageInfo.hasNextPage) break
      after = pageInfo.endCursor
    }
    const known = walked.filter((title) => title !== 'late')
    expect(known.toSorted()).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6'])
    expect(new Set(walked).size).toBe(walked.length)
  },
)

test('FAULTS S13: a price of many decimals stops no list behind it', async () => {
  const { id, sourceId } = await aShop()
  const price = `1.${'3'.repeat(39)}`
  await anOffer(pool, id, { ...seen, title: 'long', price })
  await anOffer(pool, id, { ...seen, title: 'behind', price: '2.00' })
  const first = await offers({ sourceId }, { first: 1, orderBy: 'PRICE_ASC' })
  expect(first.nodes).toEqual([{ title: 'long', price }])
  const after = first.pageInfo.endCursor
  expect(await titles({ sourceId }, { first: 1, after, orderBy: 'PRICE_ASC' })).toEqual(['behind'])
})

test('a cursor of another order is refused, and so is a price that is none', async () => {
  const { pageInfo } = await offers({}, { first: 1, orderBy: 'PRICE_ASC' })
  const { errors } = await app.ask(document, { first: 1, orderBy: 'ID', after: pageInfo.endCursor })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' })
  const bad = await app.ask(document, { filter: { minPrice: 'ten' } })
  expect(bad.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
})

type One = { offer: Record<string, unknown> | null }
const one = async (id: string, fields: string, key?: string) => {
  const { data, errors } = await app.ask<One>(
    `query ($id: ID!) { offer(id: $id) { ${fields} } }`,
    { id },
    { ...(key && { key }) },
  )
  expect(errors).toBeUndefined()
  return data!.offer
}
const anOfferOf = async (sourceId: string, columns: OfferColumns = {}) =>
  encodeId('Offer', await anOffer(pool, sourceId, { ...seen, ...columns }))

test('S2 §13.1: an offer is there by its id as long as consumers see it, to the instant', async () => {
  const own = await aShop({ expiry_hours: 48 })
  const id = await anOfferOf(own.id)
  expect(await one(id, 'activeUntil lastSeenAt')).toEqual({
    activeUntil: hour(48).toISOString(),
    lastSeenAt: hour(0).toISOString(),
  })
  now = hour(48)
  expect(await one(id, 'title')).toEqual({ title: 'An offer' })
  now = new Date(hour(48).getTime() + 1)
  expect(await one(id, 'title')).toBeNull()
  expect(await titles({ sourceId: own.sourceId })).toEqual([])
  now = hour(1)
})

test('S2 §13.3: an offer of a source that is not shown is not there, by its id neither', async () => {
  for (const columns of [{ is_display_primary: false }, { visibility_status: 'INELIGIBLE' }]) {
    const own = await aShop(columns)
    expect(await one(await anOfferOf(own.id), 'title')).toBeNull()
    expect(await titles({ sourceId: own.sourceId })).toEqual([])
  }
})

test('RULINGS 26: the tracking link comes from the template, else from the link as given', async () => {
  const template = 'https://go.example/c/{accountId}?u={url}'
  const own = await aShop({ affiliate_tracking_template: template, affiliate_account_id: 'a b' })
  const offer = await one(await anOfferOf(own.id), 'url trackingUrl')
  expect(offer?.trackingUrl).toBe(`https://go.example/c/a%20b?u=${encodeURIComponent(offer?.url as string)}`)
  const plain = await anOfferOf(shop.id, { link: 'https://network.example/click?x=1', title: 'linked' })
  expect(await one(plain, 'trackingUrl')).toEqual({ trackingUrl: 'https://network.example/click?x=1' })
})

test('issue 5 §6: the price history is public without what is held back, newest first, a page at a time', async () => {
  const offerId = await anOffer(pool, other.id, { ...seen, title: 'history', price: '3.00', heldPrice: '900.00' })
  await aPrice(pool, offerId, { runId: null, amount: '4.00', reason: 'ACCEPTED', at: hour(1) })
  const id = encodeId('Offer', offerId)
  const fields = 'priceHistory(first: 1) { totalCount nodes { amount reason isHeld } pageInfo { hasNextPage } }'
  expect(await one(id, fields)).toEqual({
    priceHistory: {
      totalCount: 2,
      nodes: [{ amount: '4.00', reason: 'ACCEPTED', isHeld: false }],
      pageInfo: { hasNextPage: true },
    },
  })
  const all = 'priceHistory(first: 9, includeHeld: true) { nodes { amount } }'
  expect(await one(id, all, app.firstKey)).toEqual({
    priceHistory: { nodes: [{ amount: '4.00' }, { amount: '900.00' }, { amount: '3.00' }] },
  })
})

test('issue 5 §6: a page of offers with all that hangs on them costs as many statements as one offer', async () => {
  const ask = (first: number) =>
    statementsOf(() =>
      app.ask(
        `{ offers(first: ${first}) { nodes { title activeUntil trackingUrl retailer { name } priceHistory(first: 3) { nodes { amount } } } } }`,
      ),
    )
  expect(await ask(5)).toHaveLength((await ask(1)).length)
})
