import { afterAll, beforeEach, expect, test } from 'vitest'
import { importRetailers } from '../../../src/domain/retailers/import-retailers.ts'
import { importSources } from '../../../src/domain/sources/import-sources.ts'
import { createSource, reviewSource, setDisplayPrimary } from '../../../src/domain/sources/source.ts'
import { statementsOf } from '../../support/statements.ts'
import { whileHeld } from '../../support/while-held.ts'
import { actor, openStand, problemsOf } from '../stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db, pool } = stand

beforeEach(async () => {
  await pool.query('truncate freshet.sources, freshet.retailers, freshet.audit_log cascade')
  const list =
    'name,slug,website\nAlpha,alpha,https://www.alpha.example\nBeta,beta,https://beta.example\nTwin,twin-1,https://twin.example\nTwin,twin-2,https://twin.example'
  await importRetailers(db, actor, list)
})

const run = (csv: string, dryRun = false) => importSources(db, actor, csv, { dryRun })
const rows = async (columns = 'r.slug, s.name, s.kind, s.is_display_primary as primary') =>
  (
    await pool.query(
      `select ${columns} from freshet.sources s join freshet.retailers r on r.id = s.retailer_id order by r.slug, s.name`,
    )
  ).rows as Record<string, unknown>[]
const audits = async () =>
  (await pool.query("select changes from freshet.audit_log where action = 'IMPORT_SOURCES' order by id")).rows
const idOf = async (name: string) =>
  BigInt((await pool.query<{ id: string }>('select id from freshet.sources where name = $1', [name])).rows[0]!.id)

test('S2 §18.2: a row is matched to its retailer by slug, by name, or by the domain of its url', async () => {
  await run('retailer,name,url\nalpha,By slug,\nBeta,By name,\n,By domain,https://shop.alpha.example/feed')
  expect(await rows('r.slug, s.name')).toEqual([
    { slug: 'alpha', name: 'By domain' },
    { slug: 'alpha', name: 'By slug' },
    { slug: 'beta', name: 'By name' },
  ])
})

test('a slug counts before a name', async () => {
  await importRetailers(db, actor, 'name,slug\nalpha,gamma')
  await run('retailer,name\nalpha,Mine')
  expect(await rows('r.slug, s.name')).toEqual([{ slug: 'alpha', name: 'Mine' }])
})

test('S2 §18.2: rows without a retailer are reported, all of them, and nothing is written', async () => {
  const csv = `retailer,name,url
alpha,Good,
gamma,Unknown,
Twin,Ambiguous name,
,Unknown domain,https://gamma.example
,Ambiguous domain,https://twin.example
,Nothing to go by,`
  expect(await problemsOf(run(csv))).toEqual([
    'csv.line 3.retailer there is no retailer "gamma".',
    'csv.line 4.retailer 2 retailers are called "Twin"; give the slug.',
    'csv.line 5.retailer no retailer has a website on gamma.example; name the retailer.',
    'csv.line 6.retailer 2 retailers have a website on twin.example; name the retailer.',
    'csv.line 7.retailer is needed where the row has no url.',
  ])
  expect([await rows(), await audits()]).toEqual([[], []])
})

test('S2 §18.2: the kind is DIRECT where none is given, and each kind starts with its own rights', async () => {
  await run('retailer,name,kind\nalpha,a,\nalpha,b,scrape\nalpha,c,Affiliate_Feed\nalpha,d,MARKET')
  expect(await rows('s.kind, s.visibility_status, s.upc_trusted, s.expiry_hours')).toEqual([
    { kind: 'DIRECT', visibility_status: 'ELIGIBLE', upc_trusted: true, expiry_hours: 48 },
    { kind: 'SCRAPE', visibility_status: 'INELIGIBLE', upc_trusted: false, expiry_hours: 48 },
    { kind: 'AFFILIATE_FEED', visibility_status: 'ELIGIBLE', upc_trusted: true, expiry_hours: 48 },
    { kind: 'MARKET', visibility_status: 'ELIGIBLE', upc_trusted: false, expiry_hours: 48 },
  ])
})

test('S2 §18.2: the oldest direct source becomes primary, whatever its id, once for each retailer', async () => {
  await run(`retailer,name,kind,created_at
alpha,a younger one,DIRECT,2024-05-02
alpha,an older feed,AFFILIATE_FEED,2020-01-01
alpha,the oldest,DIRECT,2024-05-01T23:59:59+00:00
beta,feed alone,AFFILIATE_FEED,2020-01-01`)
  expect(await idOf('the oldest')).toBeGreaterThan(await idOf('a younger one'))
  expect(await rows()).toEqual([
    { slug: 'alpha', name: 'a younger one', kind: 'DIRECT', primary: false },
    { slug: 'alpha', name: 'an older feed', kind: 'AFFILIATE_FEED', primary: false },
    { slug: 'alpha', name: 'the oldest', kind: 'DIRECT', primary: true },
    { slug: 'beta', name: 'feed alone', kind: 'AFFILIATE_FEED', primary: false },
  ])
  expect(await audits()).toEqual([{ changes: { created: { to: 4 }, updated: { to: 0 }, displayPrimaries: { to: 1 } } }])
})

test('S2 §18.2: of sources of the same age the one with the lower id becomes primary', async () => {
  await run('retailer,name,created_at\nalpha,b,2024-05-01\nalpha,a,2024-05-01')
  const [first] = (await pool.query<{ name: string }>('select name from freshet.sources order by id')).rows
  expect((await rows()).filter(({ primary }) => primary)).toMatchObject([{ name: first!.name }])
})

test('S2 §18.2: a primary that is there stays, however old the new sources are', async () => {
  await run('retailer,name,kind,created_at\nalpha,feed,AFFILIATE_FEED,2024-01-01')
  await setDisplayPrimary(db, actor, await idOf('feed'), { confirm: false, now: new Date() })
  await run('retailer,name,created_at\nalpha,direct,2001-01-01')
  expect((await rows()).filter(({ primary }) => primary)).toMatchObject([{ name: 'feed' }])
})

test('S2 §18.2: a direct source that was there before becomes primary when it is the oldest, though no row changes', async () => {
  const retailer = await db.retailer.findUniqueOrThrow({ where: { slug: 'alpha' } })
  await createSource(db, actor, retailer.id, { name: 'made by hand' })
  expect(await run('retailer,name\nalpha,made by hand')).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
  expect(await rows()).toMatchObject([{ name: 'made by hand', primary: true }])
})

test('a source that an operator hid does not become primary: it would hide the others', async () => {
  await run('retailer,name,kind\nalpha,feed,AFFILIATE_FEED')
  await pool.query(
    "insert into freshet.sources (retailer_id, name, visibility_status, created_at) select id, 'hidden', 'INELIGIBLE', '2001-01-01' from freshet.retailers where slug = 'alpha'",
  )
  await run('retailer,name\nalpha,shown')
  expect((await rows()).filter(({ primary }) => primary)).toMatchObject([{ name: 'shown' }])
})

test('S2 §18.3: an import waits for a switch at work and leaves its primary', async () => {
  await run('retailer,name,kind\nalpha,feed,AFFILIATE_FEED')
  const id = await idOf('feed')
  const hold = (client: Pick<typeof pool, 'query'>) => client.query('select freshet.set_display_primary($1)', [id])
  expect(await whileHeld(pool, hold, () => run('retailer,name\nalpha,direct'))).toMatchObject({ created: 1 })
  expect((await rows()).filter(({ primary }) => primary)).toMatchObject([{ name: 'feed' }])
})

test('S2 §18.3: imports and switches at once leave one primary and none fails', async () => {
  await run('retailer,name,kind\nalpha,feed,AFFILIATE_FEED')
  const id = await idOf('feed')
  const lists = ['one', 'two', 'three'].map((name) => run(`retailer,name\nalpha,${name}\nbeta,${name}`))
  await Promise.all([...lists, setDisplayPrimary(db, actor, id, { confirm: false, now: new Date() })])
  const primaries = (await rows()).filter(({ primary }) => primary)
  expect(primaries.map(({ slug }) => slug)).toEqual(['alpha', 'beta'])
})

test('the same list again changes nothing, not even updated_at', async () => {
  const csv = `retailer,name,kind,url,created_at,expiry_hours,affiliate_network,affiliate_account_id,affiliate_account_name,affiliate_tracking_template
alpha,direct,DIRECT,https://alpha.example,2024-05-01,24,,,,
alpha,feed,AFFILIATE_FEED,,,,IMPACT,1,One,https://go.example/?u={url}`
  expect(await run(csv)).toEqual({ rows: 2, created: 2, updated: 0, unchanged: 0, dryRun: false })
  const before = await rows('s.xmin, s.*')
  expect(await run(csv)).toEqual({ rows: 2, created: 0, updated: 0, unchanged: 2, dryRun: false })
  expect(await rows('s.xmin, s.*')).toEqual(before)
})

test('a list updates what it gives of a known source and leaves the rest', async () => {
  await run(
    'retailer,name,kind,url,expiry_hours,affiliate_network,affiliate_account_id\nalpha,feed,AFFILIATE_FEED,https://alpha.example/a,24,IMPACT,1',
  )
  expect(await run('retailer,name,expiry_hours,affiliate_account_name\nalpha,feed,72,One')).toMatchObject({
    updated: 1,
  })
  const columns = 's.kind, s.url, s.expiry_hours, s.affiliate_network, s.affiliate_account_id, s.affiliate_account_name'
  expect(await rows(columns)).toEqual([
    {
      kind: 'AFFILIATE_FEED',
      url: 'https://alpha.example/a',
      expiry_hours: 72,
      affiliate_network: 'IMPACT',
      affiliate_account_id: '1',
      affiliate_account_name: 'One',
    },
  ])
  expect(await run('retailer,name,affiliate_network\nalpha,feed,AWIN')).toMatchObject({ updated: 1 })
})

test('the kind of a known source cannot be changed, nor can it get a network that its kind has not', async () => {
  await run('retailer,name\nalpha,direct')
  const csv = 'retailer,name,kind,affiliate_network\nalpha,direct,AFFILIATE_FEED,IMPACT\nalpha,new,,IMPACT'
  expect(await problemsOf(run(csv))).toEqual([
    'csv.line 2.kind cannot be changed: the source is of kind DIRECT.',
    'csv.line 3.affiliate_network is only for sources of kind AFFILIATE_FEED.',
  ])
  expect(await problemsOf(run('retailer,name,affiliate_network\nalpha,direct,IMPACT'))).toEqual([
    'csv.line 2.affiliate_network is only for sources of kind AFFILIATE_FEED.',
  ])
})

test('a list does not carry a review to another site', async () => {
  await run('retailer,name,kind,url\nalpha,pages,SCRAPE,https://alpha.example/a')
  await reviewSource(db, actor, await idOf('pages'), { tosApprovedBy: 'a person' }, new Date())
  expect(await run('retailer,name,url\nalpha,pages,https://www.alpha.example/b')).toMatchObject({ updated: 1 })
  expect(await problemsOf(run('retailer,name,url\nalpha,pages,https://other.example'))).toEqual([
    'csv.line 2.url moves a reviewed source to other.example. Use updateSource, which ends the review.',
  ])
})

test('a retailer with the same source twice is reported once, by its name', async () => {
  expect(await problemsOf(run('retailer,name\nalpha,feed\nbeta,feed\nAlpha,feed'))).toEqual([
    'csv.line 4.name "feed" stands in line 2 already.',
  ])
})

test('every problem of a row is reported at once', async () => {
  const csv = `retailer,name,kind,url,created_at,expiry_hours,affiliate_network,affiliate_tracking_template
gamma,,NEWSPAPER,nonsense,yesterday,1.5,GOOGLE,https://go.example`
  expect((await problemsOf(run(csv))).map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
    'csv.line 2.name',
    'csv.line 2.kind',
    'csv.line 2.url',
    'csv.line 2.created_at',
    'csv.line 2.expiry_hours',
    'csv.line 2.affiliate_network',
    'csv.line 2.affiliate_tracking_template',
  ])
})

test('a row with a bad cell is checked for the rest too, and all is told line by line', async () => {
  const csv = `retailer,name,expiry_hours,kind
gamma,a,1.5,DIRECT
delta,b,24,DIRECT
alpha,c,0,DIRECT
alpha,c,24,NEWSPAPER`
  const kinds = 'must be one of DIRECT, AFFILIATE_FEED, SCRAPE, MARKET, OTHER.'
  expect(await problemsOf(run(csv))).toEqual([
    'csv.line 2.expiry_hours must be a whole number from 1 to 168.',
    'csv.line 2.retailer there is no retailer "gamma".',
    'csv.line 3.retailer there is no retailer "delta".',
    'csv.line 4.expiry_hours must be a whole number from 1 to 168.',
    `csv.line 5.kind ${kinds}`,
    'csv.line 5.name "c" stands in line 4 already.',
  ])
})

test.each(['0', '169', '-1', '0x10', '1e2', '24.0', 'many'])('refuses %s expiry hours', async (hours) => {
  expect(await problemsOf(run(`retailer,name,expiry_hours\nalpha,a,${hours}`))).toEqual([
    'csv.line 2.expiry_hours must be a whole number from 1 to 168.',
  ])
})

test.each(['1', '2024', '5/1/2024', '2024-02-30', '2024-05-01 10:00', '2024-05-01T10:00'])(
  'refuses %s as a moment',
  async (moment) => {
    expect(await problemsOf(run(`retailer,name,created_at\nalpha,a,${moment}`))).toEqual([
      'csv.line 2.created_at must be a day or a moment, as in 2024-05-01.',
    ])
  },
)

test.each(['0000-01-01', '0001-01-01T00:00:00+14:00', '0000-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59'])(
  'refuses %s, which is no moment of the years 0001 to 9999 in UTC',
  async (moment) => {
    expect(await problemsOf(run(`retailer,name,created_at\nalpha,a,${moment}`))).toEqual([
      'csv.line 2.created_at must lie in the years 0001 to 9999, in UTC.',
    ])
  },
)

test.each(['0001-01-01', '9999-12-31T23:59:59.999Z'])('takes %s, the edge of what can be read back', async (moment) => {
  expect(await run(`retailer,name,created_at\nalpha,a,${moment}`)).toMatchObject({ created: 1 })
  expect(await rows('s.created_at')).toEqual([{ created_at: new Date(moment) }])
})

test('issue 3 §4: of each source that a list changes it is recorded what became other, as if it were changed by itself', async () => {
  await run('retailer,name,kind,expiry_hours\nalpha,feed,AFFILIATE_FEED,24\nalpha,same,OTHER,')
  await createSource(db, actor, BigInt((await rows('r.id'))[0]!.id as string), { name: 'direct' })
  const [feed, direct] = [await idOf('feed'), await idOf('direct')]
  await pool.query('delete from freshet.audit_log')
  await run('retailer,name,expiry_hours,affiliate_account_id\nalpha,feed,72,7\nalpha,same,,\nbeta,new,12,')
  const made = await idOf('new')
  const beta = (await db.retailer.findUniqueOrThrow({ where: { slug: 'beta' } })).id
  const { rows: entries } = await pool.query<{ action: string; object_id: string | null; changes: object }>(
    'select action, object_id, changes from freshet.audit_log order by id',
  )
  const expiryHours = { from: 24, to: 72 }
  const primary = (id: bigint) => ({ displayPrimary: { from: null, to: String(id) } })
  const created = { name: 'new', kind: 'DIRECT', visibilityStatus: 'ELIGIBLE', upcTrusted: true, expiryHours: 12 }
  expect(entries.map(({ action, object_id, changes }) => [action, object_id, changes])).toEqual([
    ['IMPORT_SOURCES', null, { created: { to: 1 }, updated: { to: 1 }, displayPrimaries: { to: 2 } }],
    ['UPDATE_SOURCE', String(feed), { expiryHours, affiliateAccountId: { from: null, to: '7' } }],
    ['EXPIRY_HOURS_CHANGED', String(feed), { expiryHours }],
    ['SET_DISPLAY_PRIMARY', String(direct), primary(direct)],
    [
      'CREATE_SOURCE',
      String(made),
      Object.fromEntries(Object.entries({ retailerId: String(beta), ...created }).map(([name, to]) => [name, { to }])),
    ],
    ['SET_DISPLAY_PRIMARY', String(made), primary(made)],
  ])
})

test('a dry run says exactly what would happen, and writes nothing, not even its record', async () => {
  await run('retailer,name,expiry_hours\nalpha,a,24\nalpha,b,24')
  const [before, recorded] = [await rows('s.xmin, s.*'), await audits()]
  const list = 'retailer,name,expiry_hours\nalpha,a,24\nalpha,b,48\nbeta,c,'
  expect(await run(list, true)).toEqual({ rows: 3, created: 1, updated: 1, unchanged: 1, dryRun: true })
  expect(await rows('s.xmin, s.*')).toEqual(before)
  expect(await audits()).toEqual(recorded)
  expect(await run(list)).toEqual({ rows: 3, created: 1, updated: 1, unchanged: 1, dryRun: false })
})

test('5,000 rows are written by one statement, as are five', async () => {
  const list = (count: number) =>
    `retailer,name,url\n${Array.from({ length: count }, (_, index) => `${index % 2 ? 'alpha' : ''},source ${index},https://beta.example/${index}`).join('\n')}`
  const few = await statementsOf(() => run(list(5)))
  const many = await statementsOf(() => run(list(5_000)))
  expect(many).toHaveLength(few.length)
  expect(many.filter((text) => text.includes('import_sources'))).toHaveLength(1)
  expect((await pool.query('select count(*)::int as n from freshet.sources')).rows).toEqual([{ n: 5_000 }])
})

test('a review that is recorded while an import runs is seen by it', async () => {
  await run('retailer,name,url\nalpha,Shop,https://alpha.example')
  const review = "update freshet.sources set tos_reviewed_at = now(), tos_approved_by = 'Ann' where name = 'Shop'"
  const moved = whileHeld(
    pool,
    (client) => client.query(review),
    () => run('retailer,name,url\nalpha,Shop,https://other.example'),
  )
  expect(await problemsOf(moved)).toEqual([
    'csv.line 2.url moves a reviewed source to other.example. Use updateSource, which ends the review.',
  ])
  expect(await rows('s.url')).toEqual([{ url: 'https://alpha.example/' }])
})

test('a source that is made while an import runs is seen by it', async () => {
  const make =
    "insert into freshet.sources (retailer_id, name, kind) select id, 'Shop', 'SCRAPE' from freshet.retailers where slug = 'alpha'"
  const made = whileHeld(
    pool,
    (client) => client.query(make),
    () => run('retailer,name,kind\nalpha,Shop,DIRECT'),
  )
  expect(await problemsOf(made)).toEqual(['csv.line 2.kind cannot be changed: the source is of kind SCRAPE.'])
})

test('a new source waits for an import of its retailer before it takes a name: they cannot block each other', async () => {
  const [retailer] = (await pool.query<{ id: string }>("select id from freshet.retailers where slug = 'alpha'")).rows
  const made = whileHeld(
    pool,
    (client) => client.query('select from freshet.retailers where id = $1 for update', [retailer!.id]),
    () => createSource(db, actor, BigInt(retailer!.id), { name: 'Shop' }),
    (client) => client.query("insert into freshet.sources (retailer_id, name) values ($1, 'Shop')", [retailer!.id]),
  )
  await expect(made).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
})

test('imports of retailers and sources and new sources at once: none fails, round after round', async () => {
  const ids = (await pool.query<{ id: string }>('select id from freshet.retailers order by id')).rows
  for (let round = 0; round < 15; round++) {
    const list = ['twin-2', 'twin-1', 'beta', 'alpha'].map((slug) => `${slug},shop ${round}`).join('\n')
    const works = [
      run(`retailer,name\n${list}`),
      importRetailers(db, actor, `name,slug\nA${round},alpha\nT${round},twin-2\nB${round},beta\nT${round},twin-1`),
      ...ids.map(({ id }) => createSource(db, actor, BigInt(id), { name: `shop ${round}` })),
    ]
    const codes = (await Promise.allSettled(works)).flatMap((work) =>
      work.status === 'rejected' ? [(work.reason as { code?: string }).code] : [],
    )
    expect(codes.filter((code) => code !== 'ALREADY_EXISTS')).toEqual([])
  }
})
