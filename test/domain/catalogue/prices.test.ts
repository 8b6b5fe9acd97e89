import { afterAll, expect, test } from 'vitest'
import { countPrices, readPricePages } from '../../../src/domain/catalogue/prices.ts'
import { cloneDatabase } from '../../support/database.ts'
import { aFeed, aFeedRun, anOffer, aPrice } from '../../support/offers.ts'
import { aRetailer, aSource } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const sourceId = await aSource(pool, await aRetailer(pool), { kind: 'AFFILIATE_FEED' })
await aFeed(pool, sourceId)
const shown = await aFeedRun(pool, sourceId)
const blocked = await aFeedRun(pool, sourceId, { shown: false })

test('RULINGS 12, 19: a price is public once its run was shown or an operator accepted it; held ones are for operators', async () => {
  const offerId = BigInt(await anOffer(pool, sourceId, { price: '1.00', heldPrice: '90.00', runId: shown }))
  await aPrice(pool, String(offerId), { runId: blocked, amount: '2.00' })
  await aPrice(pool, String(offerId), { runId: null, amount: '3.00', reason: 'ACCEPTED' })
  const other = BigInt(await anOffer(pool, sourceId, { price: '4.00', runId: shown }))
  const asked = [true, false].flatMap((includeHeld) => [offerId, other].map((id) => ({ offerId: id, includeHeld })))

  const parts = asked.map((one) => ({ ...one, before: undefined, take: 100 }))
  const amounts = (await readPricePages(pool, parts)).map((page) => page.map(({ amount }) => amount))
  expect(amounts).toEqual([['3.00', '90.00', '1.00'], ['4.00'], ['3.00', '1.00'], ['4.00']])
  expect(await countPrices(pool, asked)).toEqual([3, 1, 2, 1])
})

test('a page of prices goes on behind the last one seen, and its length is not the count', async () => {
  const offerId = BigInt(await anOffer(pool, sourceId, { price: '1.00', runId: shown }))
  for (const amount of ['2.00', '3.00']) await aPrice(pool, String(offerId), { runId: shown, amount })
  const read = async (before: bigint | undefined) =>
    (await readPricePages(pool, [{ offerId, before, take: 2, includeHeld: false }]))[0]!
  const first = await read(undefined)
  expect(first.map(({ amount }) => amount)).toEqual(['3.00', '2.00'])
  expect((await read(first.at(-1)!.id)).map(({ amount }) => amount)).toEqual(['1.00'])
  expect(await countPrices(pool, [{ offerId, includeHeld: false }])).toEqual([3])
})
