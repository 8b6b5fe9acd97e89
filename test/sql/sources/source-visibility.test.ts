import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { aRetailer, aSource } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

async function visibilityOf(...sources: string[]) {
  const { rows } = await pool.query<{ source_id: string; visible: boolean; reason: string }>(
    'select * from freshet.source_visibility($1)',
    [sources],
  )
  return sources.map((id) => {
    const found = rows.filter(({ source_id }) => source_id === id)
    expect(found).toHaveLength(1)
    return [found[0]?.visible, found[0]?.reason]
  })
}

test('S2 §13.3: with a primary, only the primary is visible, whatever its kind', async () => {
  const retailer = await aRetailer(pool)
  const feed = await aSource(pool, retailer, { kind: 'AFFILIATE_FEED', is_display_primary: true })
  const direct = await aSource(pool, retailer, { kind: 'DIRECT' })
  expect(await visibilityOf(feed, direct)).toEqual([
    [true, 'IS_PRIMARY'],
    [false, 'ANOTHER_SOURCE_IS_PRIMARY'],
  ])
})

test('S2 §13.3: without a primary, DIRECT sources are visible and no other', async () => {
  const retailer = await aRetailer(pool)
  const direct = await aSource(pool, retailer, { kind: 'DIRECT' })
  const others = ['AFFILIATE_FEED', 'SCRAPE', 'MARKET', 'OTHER'].map((kind) => aSource(pool, retailer, { kind }))
  expect(await visibilityOf(direct, ...(await Promise.all(others)))).toEqual([
    [true, 'DIRECT_WITHOUT_PRIMARY'],
    ...others.map(() => [false, 'NOT_PRIMARY']),
  ])
})

test('an ineligible source is never visible, primary or not', async () => {
  const retailer = await aRetailer(pool)
  const primary = await aSource(pool, retailer, { visibility_status: 'INELIGIBLE', is_display_primary: true })
  const direct = await aSource(pool, await aRetailer(pool), { visibility_status: 'INELIGIBLE', kind: 'DIRECT' })
  expect(await visibilityOf(primary, direct)).toEqual([
    [false, 'INELIGIBLE'],
    [false, 'INELIGIBLE'],
  ])
})

test('an ineligible primary still keeps the DIRECT sources from showing', async () => {
  const retailer = await aRetailer(pool)
  await aSource(pool, retailer, { visibility_status: 'INELIGIBLE', is_display_primary: true })
  const direct = await aSource(pool, retailer, { kind: 'DIRECT' })
  expect(await visibilityOf(direct)).toEqual([[false, 'ANOTHER_SOURCE_IS_PRIMARY']])
})

test("another retailer's primary does not matter", async () => {
  await aSource(pool, await aRetailer(pool), { is_display_primary: true })
  const direct = await aSource(pool, await aRetailer(pool), { kind: 'DIRECT' })
  expect(await visibilityOf(direct)).toEqual([[true, 'DIRECT_WITHOUT_PRIMARY']])
})

test('says nothing of sources that do not exist', async () => {
  expect((await pool.query('select * from freshet.source_visibility($1)', [['-1']])).rows).toEqual([])
})
