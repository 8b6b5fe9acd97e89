import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { anOffer } from '../support/offers.ts'
import { whileHeld } from '../support/while-held.ts'
import { codes, createDocument, number, openFeedStand, problemsOf, updateDocument, whole } from './feed-stand.ts'

const stand = await openFeedStand()
const open = await openFeedStand({ env: { FRESHET_ROLE: 'api', AFFILIATE_FEED_ALLOW_PLAIN_FTP: 'true' } })
afterAll(async () => {
  await stand[Symbol.asyncDispose]()
  await open[Symbol.asyncDispose]()
})
const { app, pool, send, newSource, created, updated, statusOf, stored, audited } = stand

test('S2 §2.1: a new feed is a draft over SFTP with its defaults, and lasts what its source lasts', async () => {
  expect(await created()).toMatchObject({
    status: 'DRAFT',
    transport: 'SFTP',
    tlsMode: null,
    hasPassword: false,
    dialect: 'GENERIC',
    columnMap: {},
    expiryHours: 48,
    holdHours: 168,
    maxFileSizeBytes: 524_288_000,
    scheduleFrequencyHours: null,
    nextRunAt: null,
    consecutiveFailures: 0,
    manualRunPending: false,
  })
})

test('RULINGS 25: a feed of a source of Impact reads its columns by the names of Impact, if nothing else is said', async () => {
  expect(await created({}, await newSource({ affiliate_network: 'IMPACT' }))).toMatchObject({ dialect: 'IMPACT' })
  const said = await created({ dialect: 'GENERIC' }, await newSource({ affiliate_network: 'IMPACT' }))
  expect(said).toMatchObject({ dialect: 'GENERIC' })
})

test('a feed belongs to a source of kind AFFILIATE_FEED that has none yet', async () => {
  const direct = await newSource({ kind: 'DIRECT' })
  const refused = await send(createDocument, { input: { sourceId: direct } })
  expect(problemsOf(refused)).toEqual(['input.sourceId is a source of kind DIRECT, not AFFILIATE_FEED.'])
  const nobody = await send(createDocument, { input: { sourceId: encodeId('Source', 987_654_321) } })
  expect(problemsOf(nobody)).toEqual(['input.sourceId There is no such source.'])
  const sourceId = await newSource()
  await created({}, sourceId)
  expect(codes(await send(createDocument, { input: { sourceId } }))).toEqual([['ALREADY_EXISTS', 'input.sourceId']])
})

/** Each setting with what it takes, both bounds of it, and what it refuses. */
const settings: [field: string, takes: unknown[], refuses: [unknown, string][]][] = [
  ['expiryHours', [1, 168], [0, 169, -1].map((n) => [n, 'must be a whole number from 1 to 168.'])],
  ['port', [1, 65_535], [0, 65_536].map((n) => [n, 'must be a whole number from 1 to 65535.'])],
  ['holdHours', [1, 720], [0, 721].map((n) => [n, 'must be a whole number from 1 to 720.'])],
  ['priceHeartbeatHours', [1, 720], [0, 721].map((n) => [n, 'must be a whole number from 1 to 720.'])],
  [
    'maxFileSizeBytes',
    [1, 10_737_418_240],
    [0, 10_737_418_241, 1.5].map((n) => [n, 'must be a whole number from 1 to 10737418240.']),
  ],
  ['maxRowCount', [1, 10_000_000], [0, 10_000_001].map((n) => [n, 'must be a whole number from 1 to 10000000.'])],
  ['maxProductCount', [1, 10_000_000], [0, 10_000_001].map((n) => [n, 'must be a whole number from 1 to 10000000.'])],
  ['expirePercent', [1, 100], [0, 101].map((n) => [n, 'must be a whole number from 1 to 100.'])],
  ['expireMinCount', [1, 10_000], [0, 10_001].map((n) => [n, 'must be a whole number from 1 to 10000.'])],
  ['expireMaxCount', [1, 1_000_000], [0, 1_000_001].map((n) => [n, 'must be a whole number from 1 to 1000000.'])],
  ['urlHashPercent', [1, 100], [0, 101].map((n) => [n, 'must be a whole number from 1 to 100.'])],
  ['urlHashMaxCount', [1, 10_000_000], [0, 10_000_001].map((n) => [n, 'must be a whole number from 1 to 10000000.'])],
  ['rejectedPercent', [1, 100], [0, 101].map((n) => [n, 'must be a whole number from 1 to 100.'])],
  ['priceMovePercent', [1, 100], [0, 101].map((n) => [n, 'must be a whole number from 1 to 100.'])],
  ['scheduleFrequencyHours', [1, 2, 4, 6, 12, 24], [0, 3, 48].map((n) => [n, 'must be one of 1, 2, 4, 6, 12, 24.'])],
  ['scheduleCron', ['30 4 * * *', '@hourly'], [[' ', 'must not be blank.']]],
  [
    'defaultCurrency',
    ['USD', 'EUR'],
    ['usd', 'US', ''].map((text) => [text, 'must be three capital letters of ISO 4217, as USD.']),
  ],
  [
    'host',
    ['feeds.example', '192.0.2.1', '2001:db8::1', ' products.impact.com '],
    [
      ['ftp://feeds.example', 'must be an address or a host name, without scheme, user, port and path.'],
      ['feeds.example:22', 'must be an address or a host name, without scheme, user, port and path.'],
      ['user@feeds.example', 'must be an address or a host name, without scheme, user, port and path.'],
      ['', 'must not be blank.'],
      [`${'a'.repeat(250)}.com`, 'must have at most 253 characters.'],
    ],
  ],
  [
    'path',
    ['/a.csv', `/${'a'.repeat(1023)}`],
    [
      ['a.csv', 'must begin with a slash, as in /feeds/catalog.csv.gz.'],
      ['/feeds/', 'must name a file, not a folder.'],
      ['/a\r\nDELE b', 'holds a control character.'],
      ['/../etc/passwd', 'must not lead upwards with "..".'],
      [`/${'a'.repeat(1024)}`, 'must have at most 1024 characters.'],
    ],
  ],
  [
    'username',
    ['a', 'u'.repeat(200)],
    [
      ['u'.repeat(201), 'must have at most 200 characters.'],
      ['a\nb', 'holds a control character.'],
    ],
  ],
  ['password', [' with blanks '], [['p'.repeat(1001), 'must have at most 1000 characters.']]],
  [
    'privateKey',
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'],
    [['AAAA', 'must be a private key in OpenSSH or PEM form, from its BEGIN to its END line.']],
  ],
]

for (const [field, takes, refuses] of settings) {
  test.each(takes)(`S2 §2.8: createFeed and updateFeed take ${field} %j`, async (value) => {
    await created({ [field]: value })
    const { id } = await created()
    await updated({ id, [field]: value })
  })
  test.each(refuses)(`S2 §2.8: createFeed and updateFeed refuse ${field} %j`, async (value, message) => {
    const { id } = await created()
    const wanted = [`input.${field} ${message}`]
    expect(problemsOf(await send(createDocument, { input: { sourceId: await newSource(), [field]: value } }))).toEqual(
      wanted,
    )
    expect(problemsOf(await send(updateDocument, { input: { id, [field]: value } }))).toEqual(wanted)
  })
}

test('issue 5 §2: the decimal mark of a feed is set, and left to be found out again', async () => {
  const { id, decimalMark } = await created()
  expect(decimalMark).toBeNull()
  expect(await created({ decimalMark: 'POINT' })).toMatchObject({ decimalMark: 'POINT' })
  expect(await updated({ id, decimalMark: 'COMMA' })).toMatchObject({ decimalMark: 'COMMA' })
  expect(await updated({ id, holdHours: 5 })).toMatchObject({ decimalMark: 'COMMA' })
  expect(await updated({ id, decimalMark: null })).toMatchObject({ decimalMark: null })
  expect((await audited(id)).at(-1)).toMatchObject({ changes: { decimalMark: { from: 'COMMA', to: null } } })
})

test.each([0, 169])('S2 §2.8: testFeed refuses %i expiry hours', async (expiryHours) => {
  const input = { transport: 'SFTP', host: 'feeds.example', path: '/a.csv', username: 'shop', expiryHours }
  const refused = await send('mutation ($input: TestFeedInput) { testFeed(input: $input) { isDone } }', { input })
  expect(problemsOf(refused)).toEqual(['input.expiryHours must be a whole number from 1 to 168.'])
})

test('S2 §2.8: no feed can be enabled whose expiry hours are out of range, for the table takes none', async () => {
  const { id } = await created(whole)
  const change =
    'update freshet.sources set expiry_hours = 169 where id = (select source_id from freshet.feeds where id = $1)'
  await expect(pool.query(change, [number(id)])).rejects.toThrow(/expiry_hours/)
  // Nor where the table did: the application does not rely on it.
  await pool.query('alter table freshet.sources drop constraint expiry_hours_in_range')
  await pool.query(change, [number(id)])
  expect(problemsOf(await statusOf('enableFeed', id))).toEqual([
    'id the feed has 169 expiryHours: it must be a whole number from 1 to 168.',
  ])
  expect(await updated({ id, expiryHours: 168 })).toMatchObject({ expiryHours: 168 })
  await pool.query(
    'alter table freshet.sources add constraint expiry_hours_in_range check (expiry_hours between 1 and 168)',
  )
  expect((await statusOf('enableFeed', id)).data!.enableFeed).toMatchObject({ status: 'ENABLED' })
})

test('every problem is told at once, with its field and what to do', async () => {
  const input = {
    sourceId: await newSource({ kind: 'DIRECT' }),
    transport: 'FTP',
    tlsMode: 'IMPLICIT',
    host: 'a b',
    privateKey: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----',
    scheduleFrequencyHours: 3,
    scheduleCron: 'every day',
    timeZone: 'Mars/Olympus',
    columnMap: [
      { field: 'sku', columns: ['A'] },
      { field: 'sku', columns: ['B'] },
    ],
  }
  const refused = await send(createDocument, { input })
  expect(codes(refused)?.[0]?.[0]).toBe('BAD_USER_INPUT')
  expect(refused.errors![0]!.extensions.problems!.map(({ field }) => field).toSorted()).toEqual([
    'input.columnMap',
    'input.host',
    'input.privateKey',
    'input.scheduleCron',
    'input.scheduleCron',
    'input.scheduleFrequencyHours',
    'input.sourceId',
    'input.timeZone',
    'input.tlsMode',
    'input.transport',
  ])
  const hints = (refused.errors![0]!.extensions.problems as { field: string; hint?: string }[]).filter(
    ({ hint }) => hint,
  )
  expect(hints.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['input.transport', 'input.sourceId', 'input.scheduleFrequencyHours']),
  )
})

test('S2 §9.2: FTP is refused unless the installation allows it, and then needs to be acknowledged', async () => {
  const sourceId = await newSource()
  const input = { sourceId, transport: 'FTP', acknowledgeInsecure: true }
  expect(problemsOf(await send(createDocument, { input }))).toEqual([
    'input.transport FTP sends user name and password in clear, and this installation does not allow it.',
  ])
  const there = await open.newSource()
  const unsure = await open.send(createDocument, { input: { sourceId: there, transport: 'FTP' } })
  expect(codes(unsure)).toEqual([['BAD_USER_INPUT', 'input.acknowledgeInsecure']])
  const { id } = await open.created({ transport: 'FTP', acknowledgeInsecure: true }, there)
  const entries = (await open.audited(id)).filter(({ action }) => action === 'INSECURE_TRANSPORT_SELECTED')
  expect(entries.map(({ changes }) => changes)).toEqual([{ transport: { to: 'FTP' } }])
  expect(open.app.log.some((line) => line.includes('INSECURE_TRANSPORT_SELECTED'))).toBe(true)
  // Once chosen, it need not be acknowledged for each other change.
  const more = await open.send(updateDocument, { input: { id, transport: 'FTP', holdHours: 2 } })
  expect(more.errors).toBeUndefined()
})

test('S2 §9.2: that a feed is moved to FTP later is asked, recorded and told just as well', async () => {
  const { id } = await open.created(whole)
  const change = { id, transport: 'FTP' }
  const unsure = await open.send(updateDocument, { input: change })
  expect(codes(unsure)).toEqual([['BAD_USER_INPUT', 'input.acknowledgeInsecure']])
  await open.updated({ ...change, acknowledgeInsecure: true })
  await open.updated({ ...change, holdHours: 2 })
  const entries = (await open.audited(id)).filter(({ action }) => action === 'INSECURE_TRANSPORT_SELECTED')
  expect(entries.map(({ changes }) => changes)).toEqual([{ transport: { to: 'FTP' } }])
  const lines = open.app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  const told = lines.filter(
    ({ event, feedId }) => event === 'INSECURE_TRANSPORT_SELECTED' && String(feedId) === number(id),
  )
  expect(told).toMatchObject([{ level: 'warn', transport: 'FTP', selectedBy: expect.any(String) }])
})

test('S2 §2.8: what a feed became meanwhile is looked at again before it is changed', async () => {
  const { id } = await created(whole)
  const enable = (client: pg.PoolClient) =>
    client.query("update freshet.feeds set status = 'ENABLED' where id = $1", [number(id)])
  const refused = await whileHeld(pool, enable, () => send(updateDocument, { input: { id, host: null } }))
  expect(problemsOf(refused)).toEqual(['input.host cannot be empty: the feed is no draft.'])
})

test.each([
  ['neither a feed nor settings', '', 'id is required, or input.'],
  [
    'both',
    'id: $id, input: { transport: SFTP, host: "feeds.example", path: "/a.csv", username: "u" }',
    'input cannot be given together with id.',
  ],
])('S2 §12.5: testFeed takes a feed or settings: %s is refused', async (_what, args, problem) => {
  const { id } = await created(whole)
  const document = `mutation ($id: ID) { feeds: ${args ? `testFeed(${args})` : 'testFeed'} { isDone } }`
  const asked = args ? document : document.replace('($id: ID) ', '')
  expect(problemsOf(await send(asked, args ? { id } : {}))).toEqual([problem])
})

test('TLS has a mode with FTPS alone', async () => {
  const { id, tlsMode } = await created({ transport: 'FTPS' })
  expect(tlsMode).toBe('EXPLICIT')
  expect(await updated({ id, tlsMode: 'IMPLICIT' })).toMatchObject({ tlsMode: 'IMPLICIT' })
  expect(await updated({ id, transport: 'SFTP' })).toMatchObject({ transport: 'SFTP', tlsMode: null })
})

const known =
  "last_remote_mtime = now(), last_remote_size = 5, last_content_hash = sha256('x'), host_keys = '{SHA256:x}'"
const know = (id: string) => pool.query(`update freshet.feeds set ${known} where id = $1`, [number(id)])

test.each([
  { host: 'other.example' },
  { port: 2222 },
  { username: 'another' },
  { path: '/other.csv' },
  { transport: 'FTPS' },
  { dialect: 'IMPACT' },
  { delimiter: 'TAB' },
  { quoting: 'NONE' },
  { columnMap: [{ field: 'brand', columns: ['Maker'] }] },
  { defaultCurrency: 'EUR' },
  { decimalMark: 'COMMA' },
  { maxFileSizeBytes: 5 },
  { maxRowCount: 5 },
  { maxProductCount: 5 },
])('RULINGS 27: after a change of %j the next run reads its file whether it changed or not', async (change) => {
  const { id } = await created(whole)
  await know(id)
  await updated({ id, ...change })
  expect(await stored(id)).toMatchObject({ last_remote_mtime: null, last_remote_size: null, last_content_hash: null })
})

test.each([{ holdHours: 5 }, { expiryHours: 5 }, { scheduleFrequencyHours: 4 }, { password: 'new' }])(
  'RULINGS 27: after a change of %j what was known of the file is known still',
  async (change) => {
    const { id } = await created(whole)
    await know(id)
    await updated({ id, ...change })
    expect((await stored(id)).last_content_hash).not.toBeNull()
  },
)

test('the host keys of another server are forgotten, those of the same one are not', async () => {
  const { id } = await created(whole)
  await know(id)
  expect(await updated({ id, path: '/b.csv' })).toMatchObject({ hostKeys: ['SHA256:x'] })
  expect(await updated({ id, host: 'other.example' })).toMatchObject({ hostKeys: [] })
})

test('S2 §2.8.2: other expiry hours are kept at the source, at once, and recorded by themselves', async () => {
  const sourceId = await newSource()
  const { id } = await created({ expiryHours: 72 }, sourceId)
  expect(await updated({ id, expiryHours: 24 })).toMatchObject({ expiryHours: 24 })
  const source = await pool.query('select expiry_hours from freshet.sources where id = $1', [number(sourceId)])
  expect(source.rows).toEqual([{ expiry_hours: 24 }])
  expect(await audited(id)).toEqual([
    expect.objectContaining({ action: 'CREATE_FEED' }),
    { action: 'UPDATE_FEED', changes: { expiryHours: { from: 72, to: 24 } } },
    { action: 'EXPIRY_HOURS_CHANGED', changes: { expiryHours: { from: 72, to: 24 } } },
  ])
  expect(app.log.some((line) => line.includes('EXPIRY_HOURS_CHANGED') && line.includes('"oldValue":72'))).toBe(true)
  await updated({ id, expiryHours: 24 })
  expect((await audited(id)).at(-1)).toEqual({ action: 'UPDATE_FEED', changes: {} })
})

test.each([
  ['dialect', { dialect: 'IMPACT' }],
  ['columnMap', { columnMap: [{ field: 'sku', columns: ['Model'] }] }],
])(
  'RULINGS 25: another %s of a feed that was shown needs confirmation, and says what it means',
  async (field, change) => {
    const { id } = await created(whole)
    const sourceId = String((await stored(id)).source_id)
    await updated({ id, ...change })
    await updated({ id, dialect: 'GENERIC', columnMap: [] })
    for (let n = 0; n < 3; n++) await anOffer(pool, sourceId)
    const refused = await send(updateDocument, { input: { id, ...change } })
    expect(codes(refused)).toEqual([['CONFIRMATION_REQUIRED', `input.${field}`]])
    expect(refused.errors![0]!.message).toContain('3 offers that are shown or were lately are known by SKU')
    expect(
      (await send(updateDocument, { input: { id, columnMap: [{ field: 'brand', columns: ['Maker'] }] } })).errors,
    ).toBeUndefined()
    expect((await send(updateDocument, { input: { id, ...change }, confirm: true })).errors).toBeUndefined()
  },
)

test('a feed that is no draft keeps its place', async () => {
  const { id } = await created(whole)
  expect(await updated({ id, host: null })).toMatchObject({ host: null })
  await updated({ id, host: 'feeds.example' })
  await statusOf('enableFeed', id)
  expect(problemsOf(await send(updateDocument, { input: { id, host: null, path: null } }))).toEqual([
    'input.host cannot be empty: the feed is no draft.',
    'input.path cannot be empty: the feed is no draft.',
  ])
})

test('S2 §2.8: a feed that lacks something is not enabled, and everything that it lacks is told', async () => {
  const { id } = await created({ host: 'feeds.example' })
  const refused = await statusOf('enableFeed', id)
  expect(problemsOf(refused)).toEqual([
    'id the feed has no path.',
    'id the feed has no username.',
    'id the feed has no credential.',
  ])
  expect(await stored(id)).toMatchObject({ status: 'DRAFT' })
})

test('S2 §9.2: a feed over FTP is not enabled where the installation does not allow it any more', async () => {
  const { id } = await created(whole)
  await pool.query("update freshet.feeds set transport = 'FTP' where id = $1", [number(id)])
  const wanted = ['id FTP sends user name and password in clear, and this installation does not allow it.']
  expect(problemsOf(await statusOf('enableFeed', id))).toEqual(wanted)
  await pool.query("update freshet.feeds set status = 'DISABLED' where id = $1", [number(id)])
  expect(problemsOf(await statusOf('reenableFeed', id, ', acknowledge: true'))).toEqual(wanted)
})

test('S2 §17.9: who added a feed, and what was changed of it, stands in the log', async () => {
  const { id } = await created(whole, await newSource({ affiliate_network: 'IMPACT' }))
  await updated({ id, holdHours: 5, password: 'another' })
  const lines = app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  const ours = lines.filter(({ feedId }) => String(feedId) === number(id))
  const find = (event: string) => ours.filter((line) => line.event === event)
  const { source_id } = await stored(id)
  expect(find('FEED_CREATED')).toMatchObject([{ level: 'info', network: 'IMPACT', createdBy: expect.any(String) }])
  expect(String(find('FEED_CREATED')[0]!.sourceId)).toBe(String(source_id))
  expect(find('FEED_UPDATED')).toMatchObject([
    { level: 'info', changedFields: ['holdHours', 'credential'], updatedBy: expect.any(String) },
  ])
})
