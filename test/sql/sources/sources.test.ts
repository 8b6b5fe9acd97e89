import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { aRetailer, aSource } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const retailer = await aRetailer(pool)

test.each([1, 168])('takes %i expiry hours', async (hours) => {
  await expect(aSource(pool, retailer, { expiry_hours: hours })).resolves.toEqual(expect.any(String))
})

test.each([0, 169, -1])('refuses %i expiry hours', async (hours) => {
  await expect(aSource(pool, retailer, { expiry_hours: hours })).rejects.toMatchObject({
    code: '23514',
    constraint: 'expiry_hours_in_range',
  })
})

test('only an affiliate feed has a network', async () => {
  const network = { affiliate_network: 'IMPACT' }
  await expect(aSource(pool, retailer, { kind: 'AFFILIATE_FEED', ...network })).resolves.toEqual(expect.any(String))
  await expect(aSource(pool, retailer, { kind: 'DIRECT', ...network })).rejects.toMatchObject({
    constraint: 'network_is_for_affiliate_feeds',
  })
})

test('a source expires after 48 hours unless told otherwise', async () => {
  const source = await aSource(pool, retailer)
  expect((await pool.query('select expiry_hours from freshet.sources where id = $1', [source])).rows).toEqual([
    { expiry_hours: 48 },
  ])
})

test.each(['retailers', 'sources'])('an update of %s moves updated_at, whatever the writer says', async (table) => {
  const id = table === 'retailers' ? await aRetailer(pool) : await aSource(pool, retailer)
  const past = '2020-01-01T00:00:00.000Z'
  await pool.query(`update freshet.${table} set name = name || '!', updated_at = $2 where id = $1`, [id, past])
  const { rows } = await pool.query<{ moved: boolean; kept: boolean }>(
    `select updated_at > created_at as moved, created_at < now() as kept from freshet.${table} where id = $1`,
    [id],
  )
  expect(rows).toEqual([{ moved: true, kept: true }])
})

test('a retailer has each source name once', async () => {
  await aSource(pool, retailer, { name: 'same' })
  await aSource(pool, await aRetailer(pool), { name: 'same' })
  await expect(aSource(pool, retailer, { name: 'same' })).rejects.toMatchObject({
    constraint: 'sources_retailer_id_name_key',
  })
})

test('a review of the terms names who approved it, and only then', async () => {
  const constraint = { constraint: 'review_names_its_approver' }
  await expect(aSource(pool, retailer, { tos_reviewed_at: new Date(0) })).rejects.toMatchObject(constraint)
  await expect(aSource(pool, retailer, { tos_approved_by: 'a person' })).rejects.toMatchObject(constraint)
  await expect(aSource(pool, retailer, { tos_reviewed_at: new Date(0), tos_approved_by: 'a person' })).resolves.toEqual(
    expect.any(String),
  )
})

test('a retailer that has sources cannot be deleted', async () => {
  await aSource(pool, retailer)
  await expect(pool.query('delete from freshet.retailers where id = $1', [retailer])).rejects.toMatchObject({
    constraint: 'sources_retailer_id_fkey',
  })
})

test.each(['Shop', 'shop_1', '-shop', 'shop-', 'sh--op', ''])('refuses %j as a slug', async (slug) => {
  await expect(pool.query("insert into freshet.retailers (slug, name) values ($1, 'x')", [slug])).rejects.toMatchObject(
    { constraint: 'slug_is_plain' },
  )
})
