import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { aRetailer, aSource } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const setPrimary = async (source: string) =>
  (await pool.query<{ before: string | null }>('select freshet.set_display_primary($1) as before', [source])).rows[0]
    ?.before
const primariesOf = async (retailer: string) =>
  (
    await pool.query<{ id: string }>('select id from freshet.sources where retailer_id = $1 and is_display_primary', [
      retailer,
    ])
  ).rows.map(({ id }) => id)

test('S2 §13.4: makes the chosen source primary and takes the mark from the others of its retailer', async () => {
  const [retailer, other] = [await aRetailer(pool), await aRetailer(pool)]
  const [first, second] = [await aSource(pool, retailer), await aSource(pool, retailer)]
  const elsewhere = await aSource(pool, other, { is_display_primary: true })
  expect(await setPrimary(first)).toBeNull()
  expect(await setPrimary(second)).toBe(first)
  expect(await primariesOf(retailer)).toEqual([second])
  expect(await primariesOf(other)).toEqual([elsewhere])
})

test('changes nothing when the source is primary already', async () => {
  const retailer = await aRetailer(pool)
  const source = await aSource(pool, retailer, { is_display_primary: true })
  const row = async () => (await pool.query('select xmin, * from freshet.sources where id = $1', [source])).rows
  const before = await row()
  expect(await setPrimary(source)).toBe(source)
  expect(await row()).toEqual(before)
})

test('S2 §13.4: two switches at once end with exactly one primary, that of the later', async () => {
  const retailer = await aRetailer(pool)
  const sources = [await aSource(pool, retailer), await aSource(pool, retailer), await aSource(pool, retailer)]
  const [old, first, second] = sources as [string, string, string]
  await setPrimary(old)
  const [one, two] = [await pool.connect(), await pool.connect()]
  try {
    await one.query('begin')
    await one.query('select freshet.set_display_primary($1)', [first])
    const { rows } = await two.query<{ pid: number }>('select pg_backend_pid() as pid')
    const later = two.query<{ before: string }>('select freshet.set_display_primary($1) as before', [second])
    await expect.poll(() => isWaiting(rows[0]?.pid), { timeout: 5_000, interval: 5 }).toBe(true)
    await one.query('commit')
    expect((await later).rows).toEqual([{ before: first }])
  } finally {
    one.release()
    two.release()
  }
  expect(await primariesOf(retailer)).toEqual([second])
})

async function isWaiting(pid: number | undefined): Promise<boolean> {
  const sql = "select wait_event_type = 'Lock' as waits from pg_stat_activity where pid = $1"
  return (await pool.query<{ waits: boolean | null }>(sql, [pid])).rows[0]?.waits ?? false
}

test('many switches at once end with exactly one primary and none fails', async () => {
  const retailer = await aRetailer(pool)
  const sources = await Promise.all(Array.from({ length: 8 }, () => aSource(pool, retailer)))
  await Promise.all(sources.map((source) => setPrimary(source)))
  expect(await primariesOf(retailer)).toHaveLength(1)
})

test('S2 §13.4: the partial unique index refuses a second primary', async () => {
  const retailer = await aRetailer(pool)
  await aSource(pool, retailer, { is_display_primary: true })
  await expect(aSource(pool, retailer, { is_display_primary: true })).rejects.toMatchObject({
    code: '23505',
    constraint: 'sources_one_primary_per_retailer',
  })
})

test('says that a source does not exist', async () => {
  await expect(setPrimary('-1')).rejects.toMatchObject({ code: 'P0002' })
})
