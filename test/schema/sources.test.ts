import { afterAll, expect, test } from 'vitest'
import { readId } from '../../src/schema/global-id.ts'
import type { CreateSourceInput, SourceKind, UpdateSourceInput } from '../support/generated/graphql.ts'
import { encodeId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import {
  CreateRetailer,
  CreateSource,
  ReviewSource,
  SetDisplayPrimary,
  SetSourceVisibility,
  UpdateSource,
} from '../support/documents.ts'
import { aFeed, aFeedRun, anOffer } from '../support/offers.ts'
import { whileHeld } from '../support/while-held.ts'

const now = new Date('2026-11-18T09:30:00.000Z')
const app = await startTestApp({ now: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const key = app.firstKey

let count = 0
const aRetailer = async () => (await app.send(CreateRetailer, { input: { name: `Shop ${++count}` } })).createRetailer.id
type Input = Partial<CreateSourceInput>
const aSource = async (input: Input = {}) => {
  const retailerId = input.retailerId ?? (await aRetailer())
  return (await app.send(CreateSource, { input: { name: `Source ${++count}`, ...input, retailerId } })).createSource
}
const update = async (id: string, input: Omit<UpdateSourceInput, 'id'>) =>
  (await app.send(UpdateSource, { input: { id, ...input } })).updateSource
const createQuery = 'mutation ($input: CreateSourceInput!) { createSource(input: $input) { id } }'
const updateQuery = 'mutation ($input: UpdateSourceInput!) { updateSource(input: $input) { id } }'
const problemsOf = async (query: string, input: object) => {
  const { errors } = await app.ask(query, { input }, { key })
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
  return errors![0]!.extensions.problems?.map(({ field, message }) => `${field} ${message}`)
}

test('S2 §2.2: a source needs a retailer', async () => {
  const { errors } = await app.ask(createQuery, { input: { name: 'Alone' } }, { key })
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  expect(errors?.[0]?.message).toContain('retailerId')
})

test('S2 §2.2: a new source is DIRECT, not primary, and expires after 48 hours', async () => {
  expect(await aSource()).toMatchObject({
    kind: 'DIRECT',
    isDisplayPrimary: false,
    expiryHours: 48,
    visibilityStatus: 'ELIGIBLE',
    visibility: { visible: true, reason: 'DIRECT_WITHOUT_PRIMARY' },
  })
})

test('S3 §12.3: a scraped source starts INELIGIBLE and with product codes that are not believed', async () => {
  expect(await aSource({ kind: 'SCRAPE' })).toMatchObject({
    visibilityStatus: 'INELIGIBLE',
    upcTrusted: false,
    visibility: { visible: false, reason: 'INELIGIBLE' },
  })
})

test.each([
  ['DIRECT', 'ELIGIBLE', true],
  ['AFFILIATE_FEED', 'ELIGIBLE', true],
  ['MARKET', 'ELIGIBLE', false],
  ['OTHER', 'ELIGIBLE', true],
] as const)('a source of kind %s starts %s, its codes trusted: %s', async (kind, visibilityStatus, upcTrusted) => {
  expect(await aSource({ kind })).toMatchObject({ kind, visibilityStatus, upcTrusted })
})

test('S2 §2.2: an affiliate feed keeps its network and account', async () => {
  const { id } = await aSource({ kind: 'AFFILIATE_FEED' })
  const affiliate = {
    affiliateNetwork: 'IMPACT',
    affiliateAccountId: '12345',
    affiliateAccountName: 'Shop (US)',
    affiliateTrackingTemplate: 'https://go.example/c/{accountId}?u={url}&s={clickId}',
  } as const
  expect(await update(id, affiliate)).toMatchObject(affiliate)
  expect(await update(id, { affiliateNetwork: null, affiliateAccountName: null })).toMatchObject({
    affiliateNetwork: null,
    affiliateAccountId: '12345',
    affiliateAccountName: null,
  })
})

test.each(['DIRECT', 'SCRAPE', 'MARKET', 'OTHER'] as const)(
  'a source of kind %s has no affiliate network',
  async (kind) => {
    const retailerId = await aRetailer()
    const input = { retailerId, kind, name: 'No feed', affiliateNetwork: 'IMPACT' }
    expect(await problemsOf(createQuery, input)).toEqual([
      'input.affiliateNetwork is only for sources of kind AFFILIATE_FEED.',
    ])
    const { id } = await aSource({ kind })
    const { errors } = await app.ask(updateQuery, { input: { id, affiliateNetwork: 'AWIN' } }, { key })
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', field: 'input.affiliateNetwork' })
  },
)

test('the kind of a source cannot be changed', async () => {
  const { id } = await aSource()
  const { errors } = await app.ask(updateQuery, { input: { id, kind: 'SCRAPE' } }, { key })
  expect(errors?.[0]?.message).toContain('Field "kind" is not defined by type "UpdateSourceInput"')
})

test.each([1, 168])('takes %i expiry hours', async (expiryHours) => {
  const { id, expiryHours: created } = await aSource({ expiryHours })
  expect(created).toBe(expiryHours)
  expect(await update(id, { expiryHours: 24 })).toMatchObject({ expiryHours: 24 })
  expect(await update(id, { expiryHours })).toMatchObject({ expiryHours })
})

test.each([0, 169, -1])('refuses %i expiry hours', async (expiryHours) => {
  const said = ['input.expiryHours must be a whole number from 1 to 168.']
  expect(await problemsOf(createQuery, { retailerId: await aRetailer(), name: 'x', expiryHours })).toEqual(said)
  expect(await problemsOf(updateQuery, { id: (await aSource()).id, expiryHours })).toEqual(said)
})

test('S2 §2.8.2: other expiry hours of a source are recorded and logged by themselves, the same ones are not', async () => {
  const { id } = await aSource({ kind: 'AFFILIATE_FEED' })
  await update(id, { expiryHours: 24, name: `Renamed ${++count}` })
  await update(id, { expiryHours: 24 })
  await update(id, { name: `Renamed ${++count}` })
  const { rows } = await app.pool.query<{ action: string; changes: object }>(
    'select action, changes from freshet.audit_log where object_id = $1 order by id offset 2',
    [readId(id)!.id],
  )
  expect(rows.filter(({ action }) => action === 'EXPIRY_HOURS_CHANGED')).toEqual([
    { action: 'EXPIRY_HOURS_CHANGED', changes: { expiryHours: { from: 48, to: 24 } } },
  ])
  const sourceId = Number(readId(id)!.id)
  const lines = app.log.map((line) => JSON.parse(line) as { event?: string; sourceId?: number })
  expect(lines.filter((line) => line.event === 'EXPIRY_HOURS_CHANGED' && line.sourceId === sourceId)).toEqual([
    expect.objectContaining({ level: 'warn', oldValue: 48, newValue: 24 }),
  ])
})

test('reports every problem of an input at once, each with its field', async () => {
  const wrong = {
    name: 'x'.repeat(201),
    url: 'https://user:password@shop.example',
    expiryHours: 0,
    affiliateAccountId: '',
    affiliateTrackingTemplate: 'https://go.example',
    adapterId: ' ',
    scrapeConfig: { requestsPerSecond: 0, customHeaders: [{ name: 'Cookie', value: 'ä' }] },
  }
  const fields = [
    'input.name',
    'input.url',
    'input.expiryHours',
    'input.affiliateAccountId',
    'input.affiliateTrackingTemplate',
    'input.adapterId',
    'input.scrapeConfig.requestsPerSecond',
    'input.scrapeConfig.customHeaders.0.name',
    'input.scrapeConfig.customHeaders.0.value',
  ]
  const created = await problemsOf(createQuery, { ...wrong, retailerId: await aRetailer(), affiliateNetwork: 'CJ' })
  expect(created?.map((text) => text.split(' ')[0])).toEqual([...fields, 'input.affiliateNetwork'])
  const updated = await problemsOf(updateQuery, { ...wrong, id: (await aSource()).id })
  expect(updated?.map((text) => text.split(' ')[0])).toEqual(fields)
})

test('what cannot be empty cannot be set to null', async () => {
  const { id } = await aSource()
  const input = { id, name: null, expiryHours: null, upcTrusted: null, scrapeConfig: null }
  expect(await problemsOf(updateQuery, input)).toEqual([
    'input.name cannot be null.',
    'input.expiryHours cannot be null.',
    'input.upcTrusted cannot be null.',
    'input.scrapeConfig cannot be null.',
  ])
})

test('null means not given for a new source', async () => {
  const given = {
    kind: null,
    url: null,
    expiryHours: null,
    upcTrusted: null,
    scrapeConfig: null,
    adapterId: null,
  } as const
  expect(await aSource({ ...given, affiliateNetwork: null, affiliateTrackingTemplate: null })).toMatchObject({
    kind: 'DIRECT',
    expiryHours: 48,
    upcTrusted: true,
  })
})

test('a retailer has each source name once, at once too; another retailer may use it', async () => {
  const retailerId = await aRetailer()
  const input = { retailerId, name: 'Same' }
  const answers = await Promise.all([1, 2].map(() => app.ask(createQuery, { input }, { key })))
  expect(
    answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => [extensions.code, extensions.field]),
  ).toEqual([['ALREADY_EXISTS', 'input.name']])
  await aSource({ name: 'Same' })
  const { id } = await aSource({ retailerId, name: 'Other' })
  const { errors } = await app.ask(updateQuery, { input: { id, name: 'Same' } }, { key })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'ALREADY_EXISTS', field: 'input.name' })
})

test('a configuration replaces the former one and holds only what was given', async () => {
  const { id } = await aSource({ kind: 'SCRAPE' })
  const headers = [{ name: 'Accept-Language', value: 'en-US' }]
  const first = await update(id, {
    scrapeConfig: { requestsPerSecond: 0.5, fetcherType: 'BROWSER', customHeaders: headers },
  })
  expect(first.scrapeConfig).toEqual({ requestsPerSecond: 0.5, fetcherType: 'browser', customHeaders: headers })
  const second = await update(id, { scrapeConfig: { fetcherType: 'HTTP', customHeaders: null } })
  expect(second.scrapeConfig).toEqual({ fetcherType: 'http' })
  expect((await update(id, { scrapeConfig: {} })).scrapeConfig).toEqual({})
})

test('S3 §9.5: a review is recorded with its time and approver; robots.txt is complied with unless said otherwise', async () => {
  const { id } = await aSource({ kind: 'SCRAPE' })
  const review = async (input: object) =>
    (await app.send(ReviewSource, { input: { id, tosApprovedBy: 'a person', ...input } })).reviewSource
  expect(await review({})).toEqual({
    id,
    tosReviewedAt: now.toISOString(),
    tosApprovedBy: 'a person',
    tosNotes: null,
    robotsCompliant: true,
  })
  expect(await review({ notes: 'See mail of May.', robotsCompliant: false })).toMatchObject({
    tosNotes: 'See mail of May.',
    robotsCompliant: false,
  })
  expect(await review({ robotsCompliant: null })).toMatchObject({ tosNotes: null, robotsCompliant: true })
})

test('a retailer that does not exist is told with all that is wrong beside it', async () => {
  const query = 'mutation ($input: CreateSourceInput!) { createSource(input: $input) { id } }'
  const retailerId = encodeId('Retailer', 9_000_000_000)
  expect(await problemsOf(query, { retailerId, name: ' ', expiryHours: 0 })).toEqual([
    'input.retailerId There is no such retailer.',
    'input.name must not be blank.',
    'input.expiryHours must be a whole number from 1 to 168.',
  ])
})

test('S3 §9.5: a review needs an approver', async () => {
  const query = 'mutation ($input: ReviewSourceInput!) { reviewSource(input: $input) { id } }'
  const { id } = await aSource()
  expect(await problemsOf(query, { id, tosApprovedBy: '  ' })).toEqual(['input.tosApprovedBy must not be blank.'])
  const { errors } = await app.ask(query, { input: { id } }, { key })
  expect(errors?.[0]?.message).toContain('tosApprovedBy')
})

test('S3 §9.5: a review is of a site: it stays within its domain and ends with a move to another', async () => {
  const { id } = await aSource({ kind: 'SCRAPE', url: 'https://shop.example/a' })
  await app.send(ReviewSource, { input: { id, tosApprovedBy: 'a person', notes: 'fine', robotsCompliant: false } })
  const reviewed = {
    tosReviewedAt: now.toISOString(),
    tosApprovedBy: 'a person',
    tosNotes: 'fine',
    robotsCompliant: false,
  }
  expect(await update(id, { name: 'Renamed' })).toMatchObject(reviewed)
  expect(await update(id, { url: 'https://www.shop.example/b' })).toMatchObject(reviewed)
  const unreviewed = { tosReviewedAt: null, tosApprovedBy: null, tosNotes: null, robotsCompliant: true }
  expect(await update(id, { url: 'https://shop.other.example' })).toMatchObject(unreviewed)
})

test('S3 §9.5: a review ends when the source loses its site, and when it gets its first', async () => {
  const { id } = await aSource({ kind: 'SCRAPE', url: 'https://shop.example/a' })
  const review = { id, tosApprovedBy: 'a person' }
  const unreviewed = { tosReviewedAt: null, tosApprovedBy: null }
  await app.send(ReviewSource, { input: review })
  expect(await update(id, { url: null })).toMatchObject(unreviewed)
  await app.send(ReviewSource, { input: review })
  expect(await update(id, { url: 'https://shop.example/a' })).toMatchObject(unreviewed)
})

/** A retailer with one source of each kind given; the source at `primary` has the mark. */
async function aShop(kinds: SourceKind[], primary?: number) {
  const retailerId = await aRetailer()
  const sources = []
  for (const [index, kind] of kinds.entries())
    sources.push(await aSource({ retailerId, kind, name: `${index} ${kind}` }))
  for (const { id } of sources) await app.send(SetSourceVisibility, { id, status: 'ELIGIBLE' })
  if (primary !== undefined) await app.send(SetDisplayPrimary, { id: sources[primary]!.id })
  const ids = sources.map(({ id }) => id)
  const visibility = async () => {
    const query =
      'query ($id: ID!) { retailer(id: $id) { sources { isDisplayPrimary visibility { visible reason } } } }'
    type Seen = { isDisplayPrimary: boolean; visibility: { visible: boolean; reason: string } }
    const { data } = await app.ask<{ retailer: { sources: Seen[] } }>(query, { id: retailerId }, { key })
    return data!.retailer.sources.map(({ visibility: { visible, reason } }) => [visible, reason])
  }
  return { ids, visibility }
}

test.each([
  ['a direct source without any primary is visible', ['DIRECT'], undefined, [[true, 'DIRECT_WITHOUT_PRIMARY']]],
  ['a direct source that is primary is visible', ['DIRECT'], 0, [[true, 'IS_PRIMARY']]],
  ['an affiliate feed that is primary is visible', ['AFFILIATE_FEED'], 0, [[true, 'IS_PRIMARY']]],
  ['an affiliate feed that is not primary is hidden', ['AFFILIATE_FEED'], undefined, [[false, 'NOT_PRIMARY']]],
  ['a scraped source that is not primary is hidden', ['SCRAPE'], undefined, [[false, 'NOT_PRIMARY']]],
  ['a scraped source that is primary and eligible is visible', ['SCRAPE'], 0, [[true, 'IS_PRIMARY']]],
  [
    'R22: a direct source beside another primary is hidden',
    ['DIRECT', 'AFFILIATE_FEED'],
    1,
    [
      [false, 'ANOTHER_SOURCE_IS_PRIMARY'],
      [true, 'IS_PRIMARY'],
    ],
  ],
  [
    'without a primary every direct source is visible and no other',
    ['DIRECT', 'DIRECT', 'OTHER', 'MARKET'],
    undefined,
    [
      [true, 'DIRECT_WITHOUT_PRIMARY'],
      [true, 'DIRECT_WITHOUT_PRIMARY'],
      [false, 'NOT_PRIMARY'],
      [false, 'NOT_PRIMARY'],
    ],
  ],
] as const)('S2 §13.1: %s', async (_what, kinds, primary, expected) => {
  const { visibility } = await aShop([...kinds], primary)
  expect(await visibility()).toEqual(expected)
})

test('R22: an ineligible source is hidden, primary or not, and keeps its mark', async () => {
  const { ids, visibility } = await aShop(['DIRECT', 'DIRECT'], 0)
  const hidden = await app.send(SetSourceVisibility, { id: ids[0]!, status: 'INELIGIBLE' })
  expect(hidden.setSourceVisibility).toEqual({
    id: ids[0],
    visibilityStatus: 'INELIGIBLE',
    visibility: { visible: false, reason: 'INELIGIBLE' },
  })
  expect(await visibility()).toEqual([
    [false, 'INELIGIBLE'],
    [false, 'ANOTHER_SOURCE_IS_PRIMARY'],
  ])
})

test('S2 §13.4: a switch takes the mark from the former primary, and the answer shows both', async () => {
  const { ids } = await aShop(['DIRECT', 'AFFILIATE_FEED'], 0)
  const { setDisplayPrimary: answer } = await app.send(SetDisplayPrimary, { id: ids[1]! })
  expect(answer).toEqual({
    id: ids[1],
    isDisplayPrimary: true,
    visibility: { visible: true, reason: 'IS_PRIMARY' },
    retailer: {
      sources: [
        {
          name: '0 DIRECT',
          isDisplayPrimary: false,
          visibility: { visible: false, reason: 'ANOTHER_SOURCE_IS_PRIMARY' },
        },
        { name: '1 AFFILIATE_FEED', isDisplayPrimary: true, visibility: { visible: true, reason: 'IS_PRIMARY' } },
      ],
    },
  })
})

test.each([
  [
    'setDisplayPrimary',
    'id',
    'mutation ($id: ID!, $confirm: Boolean) { done: setDisplayPrimary(id: $id, confirm: $confirm)',
  ],
  [
    'setSourceVisibility',
    'status',
    'mutation ($id: ID!, $confirm: Boolean) { done: setSourceVisibility(id: $id, status: INELIGIBLE, confirm: $confirm)',
  ],
])('RULINGS 22: %s asks before ten offers vanish, and shows what is seen afterwards', async (name, field, mutation) => {
  const { ids } = await aShop(['AFFILIATE_FEED', 'DIRECT'], 0)
  const [full, empty] = ids.map((id) => readId(id)!.id) as [string, string]
  await aFeed(app.pool, full)
  const runId = await aFeedRun(app.pool, full, { at: now })
  for (let n = 0; n < 10; n++) await anOffer(app.pool, full, { runId, at: now })
  const id = encodeId('Source', name === 'setDisplayPrimary' ? empty : full)
  const send = async (confirm?: boolean | null) => {
    const counts = '{ retailer { sources { offerCounts { visible active } } } }'
    type Counts = { done: { retailer: { sources: { offerCounts: object }[] } } }
    const { data, errors } = await app.ask<Counts>(`${mutation} ${counts} }`, { id, confirm }, { key })
    return {
      codes: errors?.map(({ extensions }) => [extensions.code, extensions.field]) ?? [],
      counts: data?.done.retailer.sources.map(({ offerCounts }) => offerCounts),
    }
  }
  for (const confirm of [undefined, null, false])
    expect(await send(confirm)).toEqual({ codes: [['CONFIRMATION_REQUIRED', field]], counts: undefined })
  const counts = [
    { visible: 0, active: 10 },
    { visible: 0, active: 0 },
  ]
  expect(await send(true)).toEqual({ codes: [], counts })
})

test('S2 §13.4: switches at once leave exactly one primary, and each record begins where the other ended', async () => {
  const { ids, visibility } = await aShop(['DIRECT', 'DIRECT', 'DIRECT', 'AFFILIATE_FEED'], 0)
  await Promise.all(ids.slice(1).map((id) => app.send(SetDisplayPrimary, { id })))
  expect((await visibility()).filter(([visible]) => visible)).toHaveLength(1)
  const numbers = ids.map((id) => readId(id)!.id)
  const { rows } = await app.pool.query<{ from: string | null; to: string }>(
    "select changes->'displayPrimary'->>'from' as from, changes->'displayPrimary'->>'to' as to from freshet.audit_log where action = 'SET_DISPLAY_PRIMARY' and object_id = any($1) order by id",
    [numbers],
  )
  const steps = new Map(rows.map(({ from, to }) => [from, to]))
  let last: string | null = null
  for (let step = 0; step < 4; step++) last = steps.get(last) ?? null
  const primary = await app.pool.query<{ id: string }>(
    'select id from freshet.sources where is_display_primary and id = any($1)',
    [numbers],
  )
  expect(primary.rows).toEqual([{ id: last }])
})

test('an update waits for another at work: nothing is lost, and its record begins where the other ended', async () => {
  const { id } = await aSource({ expiryHours: 10 })
  const number = readId(id)!.id
  const hold = (client: Pick<typeof app.pool, 'query'>) =>
    client.query("update freshet.sources set expiry_hours = 20, adapter_id = 'other' where id = $1", [number])
  const updated = await whileHeld(app.pool, hold, () => update(id, { expiryHours: 30 }))
  expect(updated).toMatchObject({ expiryHours: 30, adapterId: 'other' })
  const { rows } = await app.pool.query(
    "select changes from freshet.audit_log where action = 'UPDATE_SOURCE' and object_id = $1",
    [number],
  )
  expect(rows).toEqual([{ changes: { expiryHours: { from: 20, to: 30 } } }])
})

test('sources can be filtered by retailer, kind, status, name and review, alone and together', async () => {
  const retailerId = await aRetailer()
  const direct = await aSource({ retailerId, name: 'Filter direct' })
  const scraped = await aSource({ retailerId, name: 'Filter pages', kind: 'SCRAPE' })
  await app.send(ReviewSource, { input: { id: scraped.id, tosApprovedBy: 'a person' } })
  const found = async (filter: object) => {
    const query = 'query ($filter: SourceFilter) { sources(filter: $filter) { nodes { id } } }'
    const { data } = await app.ask<{ sources: { nodes: { id: string }[] } }>(
      query,
      { filter: { retailerId, ...filter } },
      { key },
    )
    return data!.sources.nodes.map(({ id }) => id)
  }
  expect(await found({})).toEqual([direct.id, scraped.id])
  expect(await found({ kind: 'SCRAPE' })).toEqual([scraped.id])
  expect(await found({ visibilityStatus: 'ELIGIBLE' })).toEqual([direct.id])
  expect(await found({ q: 'PAGES' })).toEqual([scraped.id])
  expect(await found({ reviewed: true })).toEqual([scraped.id])
  expect(await found({ reviewed: false })).toEqual([direct.id])
  expect(await found({ reviewed: null, kind: null, q: null, visibilityStatus: null })).toEqual([direct.id, scraped.id])
  expect(await found({ kind: 'SCRAPE', reviewed: false })).toEqual([])
  expect(await found({ retailerId: await aRetailer() })).toEqual([])
})
