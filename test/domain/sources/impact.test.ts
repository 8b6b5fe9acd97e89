import { afterAll, expect, test } from 'vitest'
import { readOfferCounts } from '../../../src/domain/sources/impact.ts'
import { setDisplayPrimary, setSourceVisibility } from '../../../src/domain/sources/source.ts'
import { aFeed, aFeedRun, anOffer } from '../../support/offers.ts'
import { aRetailer, aSource } from '../../support/rows.ts'
import { whileHeld } from '../../support/while-held.ts'
import { actor, openStand } from '../stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db, pool } = stand

const now = new Date()
const asked = { confirm: false, now }
const confirmed = { confirm: true, now }

/** A retailer's sources with so many offers each; the first one is its display primary. */
const aShop = (...counts: number[]) => sourcesWith(counts, (index) => ({ is_display_primary: index === 0 }))

/** A retailer's direct sources with so many offers each: without a display primary it shows them all. */
const aDirectShop = (...counts: number[]) => sourcesWith(counts, () => ({ kind: 'DIRECT' }))

async function sourcesWith(counts: number[], columnsOf: (index: number) => object): Promise<bigint[]> {
  const retailer = await aRetailer(pool)
  const ids: bigint[] = []
  for (const [index, count] of counts.entries()) {
    const source = await aSource(pool, retailer, { kind: 'AFFILIATE_FEED', ...columnsOf(index) })
    await aFeed(pool, source)
    const runId = await aFeedRun(pool, source, { at: now })
    for (let n = 0; n < count; n++) await anOffer(pool, source, { runId, at: now })
    ids.push(BigInt(source))
  }
  return ids
}

const stateOf = async (ids: bigint[]) =>
  (await db.source.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } })).map((source) =>
    source.isDisplayPrimary ? `primary ${source.visibilityStatus}` : source.visibilityStatus,
  )
const records = (ids: bigint[]) => db.auditEntry.count({ where: { objectId: { in: ids.map(String) } } })

const refused = (field: string, vanishing: number, appearing: number, before = vanishing) => ({
  code: 'CONFIRMATION_REQUIRED',
  field,
  message: `${vanishing} of the ${before} offers that the retailer shows would vanish, and ${appearing} would appear.`,
})

test('RULINGS 22: a switch that takes ten offers away has to be confirmed; refused, it changes and records nothing', async () => {
  const shop = await aShop(10, 2)
  const [, other] = shop as [bigint, bigint]
  await expect(setDisplayPrimary(db, actor, other, asked)).rejects.toMatchObject(refused('id', 10, 2))
  expect(await stateOf(shop)).toEqual(['primary ELIGIBLE', 'ELIGIBLE'])
  expect(await records(shop)).toBe(0)
  await setDisplayPrimary(db, actor, other, confirmed)
  expect(await stateOf(shop)).toEqual(['ELIGIBLE', 'primary ELIGIBLE'])
})

test('RULINGS 22: hiding ten offers has to be confirmed; refused, it changes and records nothing', async () => {
  const shop = await aShop(10)
  const [shown] = shop as [bigint]
  const hide = (showing: typeof asked) => setSourceVisibility(db, actor, shown, 'INELIGIBLE', showing)
  await expect(hide(asked)).rejects.toMatchObject(refused('status', 10, 0))
  expect(await stateOf(shop)).toEqual(['primary ELIGIBLE'])
  expect(await records(shop)).toBe(0)
  await hide(confirmed)
  expect(await stateOf(shop)).toEqual(['primary INELIGIBLE'])
})

test('RULINGS 22: nine offers may go, and any number may come, without being confirmed', async () => {
  const shop = await aShop(9, 12)
  const [shown, other] = shop as [bigint, bigint]
  await setDisplayPrimary(db, actor, other, asked)
  await setSourceVisibility(db, actor, shown, 'INELIGIBLE', asked)
  expect(await stateOf(shop)).toEqual(['INELIGIBLE', 'primary ELIGIBLE'])
})

test('RULINGS 22, S2 §8.8: the share is one of all that the retailer shows: 30 % may go, more may not', async () => {
  const [rest, some] = (await aDirectShop(28, 12)) as [bigint, bigint]
  await setSourceVisibility(db, actor, some, 'INELIGIBLE', asked)
  expect(await stateOf([rest, some])).toEqual(['ELIGIBLE', 'INELIGIBLE'])
  const [fewer, many] = (await aDirectShop(27, 12)) as [bigint, bigint]
  const hiding = setSourceVisibility(db, actor, many, 'INELIGIBLE', asked)
  await expect(hiding).rejects.toMatchObject(refused('status', 12, 0, 39))
  expect(await stateOf([fewer, many])).toEqual(['ELIGIBLE', 'ELIGIBLE'])
  await expect(setDisplayPrimary(db, actor, many, asked)).rejects.toMatchObject(refused('id', 27, 0, 39))
})

test('RULINGS 22: what is over by the time of the request neither vanishes nor appears', async () => {
  const shop = (await aShop(10, 10)) as [bigint, bigint]
  const later = { confirm: false, now: new Date(now.getTime() + 48 * 3_600_000 + 1) }
  await setDisplayPrimary(db, actor, shop[1], later)
  await setSourceVisibility(db, actor, shop[1], 'INELIGIBLE', later)
  expect(await stateOf(shop)).toEqual(['ELIGIBLE', 'primary INELIGIBLE'])
})

test('RULINGS 22: of each source it is shown what consumers see, and what they would if it were visible', async () => {
  const [shown, hidden, none] = (await aShop(2, 1, 0)) as [bigint, bigint, bigint]
  const expired = new Date(now.getTime() - 48 * 3_600_000 - 1)
  for (const id of [shown, hidden]) await anOffer(pool, String(id), { at: expired })
  const counts = {
    shown: { visible: 2, active: 2 },
    hidden: { visible: 0, active: 1 },
    none: { visible: 0, active: 0 },
  }
  const asking = readOfferCounts(pool, [hidden, shown, none, hidden], now)
  expect(await asking).toEqual([counts.hidden, counts.shown, counts.none, counts.hidden])
})

test('RULINGS 22: a switch is judged by what the one before it left, however close they are', async () => {
  const shop = await aShop(0, 10, 0)
  const [, full, empty] = shop as [bigint, bigint, bigint]
  const switching = whileHeld(
    pool,
    (client) => client.query('select freshet.set_display_primary($1)', [full]),
    () => setDisplayPrimary(db, actor, empty, asked),
  )
  await expect(switching).rejects.toMatchObject(refused('id', 10, 0))
  expect(await stateOf(shop)).toEqual(['ELIGIBLE', 'primary ELIGIBLE', 'ELIGIBLE'])
})
