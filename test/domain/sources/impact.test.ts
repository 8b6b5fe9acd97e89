import { afterAll, expect, test } from 'vitest'
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
async function aShop(...counts: number[]): Promise<bigint[]> {
  const retailer = await aRetailer(pool)
  const ids: bigint[] = []
  for (const [index, count] of counts.entries()) {
    const source = await aSource(pool, retailer, { kind: 'AFFILIATE_FEED', is_display_primary: index === 0 })
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

const refused = (field: string, vanishing: number, appearing: number) => ({
  code: 'CONFIRMATION_REQUIRED',
  field,
  message: `${vanishing} of the ${vanishing} offers that the retailer shows would vanish, and ${appearing} would appear.`,
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
