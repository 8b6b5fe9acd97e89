import { afterAll, beforeEach, expect, test } from 'vitest'
import { importRetailers } from '../../../src/domain/retailers/import-retailers.ts'
import { whileHeld } from '../../support/while-held.ts'
import { actor, openStand, problemsOf } from '../stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db, pool } = stand

beforeEach(() => pool.query('truncate freshet.sources, freshet.retailers, freshet.audit_log cascade'))

const run = (csv: string, dryRun = false) => importRetailers(db, actor, csv, { dryRun })
const rows = async (columns = 'slug, name, website, domain, logo_url, tier') =>
  (await pool.query(`select ${columns} from freshet.retailers order by slug`)).rows as Record<string, unknown>[]
const audits = async () => (await pool.query('select changes from freshet.audit_log order by id')).rows

test('adds new retailers and updates known ones by their slug; an empty cell changes nothing', async () => {
  await run('name,slug,website,tier\nOld,old,https://www.old.example,gold')
  const counts = await run('name,slug,website,logo_url,tier\nNew name,old,,https://old.example/l,\nMöbel & Co.,,,,')
  expect(counts).toEqual({ rows: 2, created: 1, updated: 1, unchanged: 0, dryRun: false })
  const empty = { website: null, domain: null, logo_url: null, tier: null }
  expect(await rows()).toEqual([
    { ...empty, slug: 'mobel-co', name: 'Möbel & Co.' },
    {
      slug: 'old',
      name: 'New name',
      website: 'https://www.old.example/',
      domain: 'old.example',
      logo_url: 'https://old.example/l',
      tier: 'gold',
    },
  ])
})

test('issue 3 §4: of each retailer that a list makes or changes it is recorded what became other', async () => {
  await run('name,tier\nA,gold\nB,gold')
  const { id } = await db.retailer.findUniqueOrThrow({ where: { slug: 'a' } })
  await pool.query('delete from freshet.audit_log')
  await run('name,tier,website\nA,silver,https://www.a.example\nB,gold,\nC,,')
  const made = await db.retailer.findUniqueOrThrow({ where: { slug: 'c' } })
  const changes = {
    website: { from: null, to: 'https://www.a.example/' },
    domain: { from: null, to: 'a.example' },
    tier: { from: 'gold', to: 'silver' },
  }
  const entries = await db.auditEntry.findMany({ orderBy: { id: 'asc' } })
  expect(entries.map((entry) => [entry.action, entry.objectId, entry.changes])).toEqual([
    ['IMPORT_RETAILERS', null, { created: { to: 1 }, updated: { to: 1 } }],
    ['UPDATE_RETAILER', String(id), changes],
    ['CREATE_RETAILER', String(made.id), { slug: { to: 'c' }, name: { to: 'C' } }],
  ])
})

test('the same list again changes nothing, not even updated_at', async () => {
  const csv = 'name,website\nA,https://a.example\nB,'
  await run(csv)
  const before = await rows('xmin, *')
  expect(await run(csv)).toEqual({ rows: 2, created: 0, updated: 0, unchanged: 2, dryRun: false })
  expect(await rows('xmin, *')).toEqual(before)
})

test('a dry run says exactly what would happen, and writes nothing, not even its record', async () => {
  await run('name,tier\nA,gold\nB,gold')
  const [before, recorded] = [await rows('xmin, *'), await audits()]
  const list = 'name,tier\nA,gold\nB,silver\nC,'
  expect(await run(list, true)).toEqual({ rows: 3, created: 1, updated: 1, unchanged: 1, dryRun: true })
  expect(await rows('xmin, *')).toEqual(before)
  expect(await audits()).toEqual(recorded)
  expect(await run(list)).toEqual({ rows: 3, created: 1, updated: 1, unchanged: 1, dryRun: false })
})

test('all or none: one wrong row and nothing is written', async () => {
  expect(await problemsOf(run('name,website\nA,https://a.example\nB,nonsense'))).toEqual([
    'csv.line 3.website must be an http or https URL without user name and password, as in https://shop.example.',
  ])
  expect([await rows(), await audits()]).toEqual([[], []])
})

test('every problem of every row is reported at once', async () => {
  const csv = 'name,slug,website,colour\n,x,y,\nA,BAD,,\n書店,,,'
  expect(await problemsOf(run(csv))).toEqual([
    'csv.header.colour is not a column of this table. Known: name, slug, website, logo_url, tier.',
    'csv.line 2.name is required.',
    'csv.line 2.website must be an http or https URL without user name and password, as in https://shop.example.',
    'csv.line 3.slug may hold only a–z, 0–9 and single hyphens, as in big-shop.',
    'csv.line 4.slug is needed, because the name holds no letter a–z and no digit to make one from.',
  ])
})

test('a list that names one retailer twice is refused', async () => {
  expect(await problemsOf(run('name,slug\nA,a\nB,b\nA again,a\nB,'))).toEqual([
    'csv.line 4.slug "a" stands in line 2 already.',
    'csv.line 5.slug "b" stands in line 3 already.',
  ])
})

test.each([
  ['an empty file', '', 'csv is empty.'],
  ['a header alone', 'name,slug\n', 'csv has no row below its header.'],
  ['semicolons', 'name;slug\nA;a', 'csv is separated by semicolons. Save it as CSV separated by commas.'],
  ['tabs', 'name\tslug\nA\ta', 'csv is separated by tabs. Save it as CSV separated by commas.'],
  [
    'no column for the name',
    'slug,tier\na,x\nb,y',
    'csv.header.name is missing. Known columns: name, slug, website, logo_url, tier.',
  ],
  ['a column twice', 'name,tier,name\na,x,b', 'csv.header.name stands there twice.'],
  [
    'a column that every object has',
    'name,constructor\nA,b',
    'csv.header.constructor is not a column of this table. Known: name, slug, website, logo_url, tier.',
  ],
  [
    'a comma without quotes',
    'name,slug\nShop, Inc.,shop,extra',
    'csv.line 2 has a value in column 3, which has no name in the header. A value with a comma needs quotes.',
  ],
])('refuses %s with a message that helps', async (_what, csv, said) => {
  expect(await problemsOf(run(csv))).toContain(said)
  expect(await rows()).toEqual([])
})

test('columns without a name and rows without a value are passed over', async () => {
  expect(await run('name,tier,,\nA,gold,,\n,,,\n\n')).toMatchObject({ rows: 1, created: 1 })
})

test('shows the first hundred problems and how many there are', async () => {
  const error = await run(`name,slug\n${'A,BAD\n'.repeat(150)}`).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'IMPORT_REFUSED' })
  expect((error as Error).message).toContain('The list has 150 problems; nothing was written:')
  expect((error as Error).message).toContain('… and 50 more.')
  expect((error as { problems: unknown[] }).problems).toHaveLength(100)
})

test('formulas are stored as they are', async () => {
  await run('name,slug\n"=HYPERLINK(""x"")",f\n+1,g')
  expect(await rows('name')).toEqual([{ name: '=HYPERLINK("x")' }, { name: '+1' }])
})

test('writes in the order of the slugs, so that two imports at once wait for each other and none fails', async () => {
  const add = (slug: string) => (client: Pick<typeof pool, 'query'>) =>
    client.query('insert into freshet.retailers (slug, name) values ($1, $1)', [slug])
  const counts = await whileHeld(pool, add('a'), () => run('name,slug\nZ,z\nA,a'), add('z'))
  expect(counts).toMatchObject({ created: 0, updated: 2 })
  expect(await rows('name')).toEqual([{ name: 'A' }, { name: 'Z' }])
})

test('retailers are locked by id, whatever their slugs: whoever holds the first can have the second', async () => {
  await run('name,slug\nFirst,z')
  await run('name,slug\nSecond,a')
  const lock = (slug: string) => `select from freshet.retailers where slug = '${slug}' for update nowait`
  const counts = await whileHeld(
    pool,
    (client) => client.query(lock('z')),
    () => run('name,slug\nNew,a\nNew,z'),
    (client) => client.query(lock('a')),
  )
  expect(counts).toMatchObject({ updated: 2 })
})
