import { afterAll, expect, test } from 'vitest'
import { encodeId, readId } from '../../src/schema/global-id.ts'
import { startTestApp, type AnswerError } from '../support/app.ts'
import { aFeed, aFeedRun, anOffer } from '../support/offers.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { statementsOf, withoutKeyLookup } from '../support/statements.ts'

const now = new Date('2026-11-18T09:30:00.000Z')
const app = await startTestApp({ now: () => now, env: { FRESHET_ROLE: 'api' } })
const open = await startTestApp({ env: { FRESHET_ROLE: 'api', AFFILIATE_FEED_ALLOW_PLAIN_FTP: 'true' } })
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await open[Symbol.asyncDispose]()
})
const { pool } = app
const admin = app.firstKey
const operator = await app.keyWith('OPERATE')

type Row = Record<string, unknown> & { id: string }
type Asked = { data: Record<string, Row> | null; errors?: AnswerError[] }

const feedFields =
  'id status statusReason transport tlsMode host port path username hasPassword secretKeyId dialect columnMap expiryHours holdHours scheduleFrequencyHours scheduleCron timeZone nextRunAt hostKeys maxFileSizeBytes consecutiveFailures manualRunPending'
const createDocument = `mutation ($input: CreateFeedInput!) { createFeed(input: $input) { ${feedFields} } }`
const updateDocument = `mutation ($input: UpdateFeedInput!, $confirm: Boolean) { updateFeed(input: $input, confirm: $confirm) { ${feedFields} } }`

const newSource = async (columns = {}, where = app) =>
  encodeId('Source', await aSource(where.pool, await aRetailer(where.pool), { kind: 'AFFILIATE_FEED', ...columns }))
const send = async (document: string, variables: object, key = admin, where = app) =>
  (await where.ask(document, variables, { key })) as Asked
const created = async (input: object = {}, sourceId?: string) => {
  const { data, errors } = await send(createDocument, {
    input: { sourceId: sourceId ?? (await newSource()), ...input },
  })
  expect(errors).toBeUndefined()
  return data!.createFeed!
}
const updated = async (input: object, more: object = {}) => {
  const { data, errors } = await send(updateDocument, { input, ...more })
  expect(errors).toBeUndefined()
  return data!.updateFeed!
}
const statusOf = async (mutation: string, id: string, rest = '') =>
  send(`mutation ($id: ID!) { ${mutation}(id: $id${rest}) { ${feedFields} } }`, { id })
const codes = ({ errors }: Asked) => errors?.map(({ extensions }) => [extensions.code, extensions.field])
const problemsOf = ({ errors }: Asked) =>
  errors?.flatMap(({ extensions }) => (extensions.problems ?? []).map(({ field, message }) => `${field} ${message}`))
const number = (id: string) => readId(id)!.id
const stored = async (id: string) =>
  (await pool.query<Row>('select * from freshet.feeds where id = $1', [number(id)])).rows[0]!
const audited = async (id: string) =>
  (
    await pool.query<{ action: string; changes: Record<string, unknown> }>(
      "select action, changes from freshet.audit_log where object_type = 'Feed' and object_id = $1 order by id",
      [number(id)],
    )
  ).rows

const whole = { host: 'feeds.example', path: '/catalog.csv.gz', username: 'shop', password: 'open sesame' }

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
  const there = await newSource({}, open)
  const unsure = await send(createDocument, { input: { sourceId: there, transport: 'FTP' } }, open.firstKey, open)
  expect(codes(unsure)).toEqual([['BAD_USER_INPUT', 'input.acknowledgeInsecure']])
  const sure = { sourceId: there, transport: 'FTP', acknowledgeInsecure: true }
  const { data } = await send(createDocument, { input: sure }, open.firstKey, open)
  const entries = await open.pool.query(
    "select object_id, changes from freshet.audit_log where action = 'INSECURE_TRANSPORT_SELECTED'",
  )
  expect(entries.rows).toEqual([{ object_id: number(data!.createFeed!.id), changes: { transport: { to: 'FTP' } } }])
  expect(open.log.some((line) => line.includes('INSECURE_TRANSPORT_SELECTED'))).toBe(true)
  // Once chosen, it need not be acknowledged for each other change.
  const more = await send(
    updateDocument,
    { input: { id: data!.createFeed!.id, transport: 'FTP', holdHours: 2 } },
    open.firstKey,
    open,
  )
  expect(more.errors).toBeUndefined()
})

test('TLS has a mode with FTPS alone', async () => {
  const { id, tlsMode } = await created({ transport: 'FTPS' })
  expect(tlsMode).toBe('EXPLICIT')
  expect(await updated({ id, tlsMode: 'IMPLICIT' })).toMatchObject({ tlsMode: 'IMPLICIT' })
  expect(await updated({ id, transport: 'SFTP' })).toMatchObject({ transport: 'SFTP', tlsMode: null })
})

test('S2 §10.5: a blank password keeps the one stored; a new one is encrypted anew, under another version', async () => {
  const { id, hasPassword, secretKeyId } = await created(whole)
  expect([hasPassword, typeof secretKeyId]).toEqual([true, 'string'])
  const first = await stored(id)
  for (const password of ['', '   ', null]) await updated({ id, password, holdHours: 100 })
  expect(await stored(id)).toMatchObject({ secret_ciphertext: first.secret_ciphertext, secret_version: 1 })
  await updated({ id, password: 'another' })
  const second = await stored(id)
  expect(second).toMatchObject({ secret_version: 2, secret_key_id: secretKeyId })
  expect(second.secret_ciphertext).not.toEqual(first.secret_ciphertext)
})

test('S2 §10.6: a credential is recorded by the names of its fields alone, and stands in no answer and no line of the log', async () => {
  const canaries = ['canary-password-1', 'canary-passphrase-2', 'canary-user-3', 'canary-key-4']
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${canaries[3]}\n-----END PRIVATE KEY-----`
  const { id } = await created({ ...whole, username: canaries[2], password: canaries[0] })
  const changed = { id, password: canaries[0], privateKey, passphrase: canaries[1], username: `${canaries[2]}b` }
  const answer = JSON.stringify(await updated(changed))
  // What is refused is not told either.
  const refused = await send(updateDocument, { input: { ...changed, holdHours: 0, port: 'x' } })
  for (const canary of [canaries[0]!, canaries[1]!, canaries[3]!]) {
    expect(answer).not.toContain(canary)
    expect(JSON.stringify(refused)).not.toContain(canary)
    expect(app.log.join('\n')).not.toContain(canary)
  }
  const entries = await audited(id)
  expect(JSON.stringify(entries)).not.toMatch(/canary/)
  expect(entries.filter(({ action }) => action === 'CREDENTIAL_CHANGED').map(({ changes }) => changes)).toEqual([
    { password: 'changed' },
    { password: 'changed', privateKey: 'changed', passphrase: 'changed' },
  ])
})

test('S2 §10.1: what is stored of a credential is not the credential, and another feed’s row does not open it', async () => {
  const { id } = await created({ ...whole, password: 'canary-stored' })
  const dump = await pool.query<{ row: string }>('select f::text as row from freshet.feeds f where id = $1', [
    number(id),
  ])
  expect(dump.rows[0]!.row).not.toContain(Buffer.from('canary-stored').toString('hex'))
  expect(dump.rows[0]!.row).not.toContain('canary-stored')
})

test('a passphrase needs its key beside it', async () => {
  const { id } = await created(whole)
  expect(problemsOf(await send(updateDocument, { input: { id, passphrase: 'x' } }))).toEqual([
    'input.passphrase needs the private key beside it: the one stored cannot be read here.',
  ])
})

test.each([
  ['password', 'a password'],
  ['privateKey', '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----'],
])('DESIGN 8: a %s needs the scope ADMIN', async (field, value) => {
  const input = { sourceId: await newSource(), [field]: value }
  expect(codes(await send(createDocument, { input }, operator))).toEqual([['FORBIDDEN', 'input.password']])
  const { id } = await created()
  expect(codes(await send(updateDocument, { input: { id, [field]: value } }, operator))).toEqual([
    ['FORBIDDEN', 'input.password'],
  ])
  expect(await stored(id)).toMatchObject({ secret_ciphertext: null })
})

test.each([{ host: 'elsewhere.example' }, { port: 2222 }, { transport: 'FTPS' }])(
  'who may not set a credential cannot have the stored one sent elsewhere either: %j',
  async (change) => {
    const { id } = await created(whole)
    const [field] = Object.keys(change)
    expect(codes(await send(updateDocument, { input: { id, ...change } }, operator))).toEqual([
      ['FORBIDDEN', `input.${field}`],
    ])
    expect((await send(updateDocument, { input: { id, path: '/other.csv' } }, operator)).errors).toBeUndefined()
    expect((await send(updateDocument, { input: { id, ...change } })).errors).toBeUndefined()
  },
)

const known =
  "last_remote_mtime = now(), last_remote_size = 5, last_content_hash = sha256('x'), host_keys = '{SHA256:x}'"
const know = (id: string) => pool.query(`update freshet.feeds set ${known} where id = $1`, [number(id)])

test.each([
  { host: 'other.example' },
  { path: '/other.csv' },
  { transport: 'FTPS' },
  { dialect: 'IMPACT' },
  { delimiter: 'TAB' },
  { quoting: 'NONE' },
  { columnMap: [{ field: 'brand', columns: ['Maker'] }] },
  { defaultCurrency: 'EUR' },
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

const inHours = (hours: number, moment: unknown) =>
  expect(Math.abs(Date.parse(String(moment)) - Date.now() - hours * 3_600_000)).toBeLessThan(60_000)

test('S2 §5.3: a draft has no next time; enabled, it has one a period from now; paused, none again', async () => {
  const { id, nextRunAt } = await created({ ...whole, scheduleFrequencyHours: 6 })
  expect(nextRunAt).toBeNull()
  const enabled = (await statusOf('enableFeed', id)).data!.enableFeed!
  expect(enabled).toMatchObject({ status: 'ENABLED', scheduleFrequencyHours: 6, statusReason: null })
  inHours(6, enabled.nextRunAt)
  inHours(12, (await updated({ id, scheduleFrequencyHours: 12 })).nextRunAt)
  expect((await statusOf('pauseFeed', id)).data!.pauseFeed).toMatchObject({ status: 'PAUSED', nextRunAt: null })
  inHours(12, (await statusOf('enableFeed', id)).data!.enableFeed!.nextRunAt)
  expect(await updated({ id, scheduleFrequencyHours: null })).toMatchObject({
    nextRunAt: null,
    scheduleFrequencyHours: null,
  })
})

test('RULINGS 11: the clock knows a feed by one schedule, which says what its job carries', async () => {
  const { id } = await created({ ...whole, scheduleFrequencyHours: 2 })
  const read = async () =>
    (
      await pool.query(
        "select queue, payload, period_seconds, cron, time_zone, is_enabled from freshet.schedules where kind = 'feed' and subject_id = $1",
        [number(id)],
      )
    ).rows
  const row = {
    queue: 'feed-ingest',
    payload: { feedId: number(id), trigger: 'SCHEDULED' },
    period_seconds: 7200,
    cron: null,
  }
  expect(await read()).toEqual([{ ...row, time_zone: 'UTC', is_enabled: false }])
  await statusOf('enableFeed', id)
  expect(await updated({ id, scheduleCron: '30 4 * * *', timeZone: 'Europe/Vienna' })).toMatchObject({
    scheduleFrequencyHours: null,
    scheduleCron: '30 4 * * *',
    timeZone: 'Europe/Vienna',
  })
  expect(await read()).toEqual([
    { ...row, period_seconds: null, cron: '30 4 * * *', time_zone: 'Europe/Vienna', is_enabled: true },
  ])
  expect(await updated({ id, timeZone: 'UTC' })).toMatchObject({ scheduleCron: '30 4 * * *', timeZone: 'UTC' })
  expect(await updated({ id, scheduleCron: null })).toMatchObject({
    scheduleCron: null,
    timeZone: null,
    nextRunAt: null,
  })
  expect(await read()).toEqual([])
})

test('a time zone without a cron expression is refused, and so is a second sort of times', async () => {
  const { id } = await created({ ...whole, scheduleFrequencyHours: 2 })
  expect(problemsOf(await send(updateDocument, { input: { id, timeZone: 'UTC' } }))).toEqual([
    'input.timeZone is only for scheduleCron.',
  ])
  const both = { id, scheduleFrequencyHours: 4, scheduleCron: '0 4 * * *' }
  expect(problemsOf(await send(updateDocument, { input: both }))).toEqual([
    'input.scheduleCron cannot be given together with scheduleFrequencyHours.',
  ])
})

const disable = (id: string) =>
  pool.query("update freshet.feeds set status = 'DISABLED', consecutive_failures = 3 where id = $1", [number(id)])

test('S2 §11.2: a feed that failures disabled is enabled only by who acknowledges them, and counted from 0', async () => {
  const { id } = await created({ ...whole, scheduleFrequencyHours: 4 })
  await disable(id)
  expect(codes(await statusOf('enableFeed', id))).toEqual([['CONFLICT', 'id']])
  expect(codes(await statusOf('reenableFeed', id, ', acknowledge: false'))).toEqual([['BAD_USER_INPUT', 'acknowledge']])
  const again = (await statusOf('reenableFeed', id, ', acknowledge: true')).data!.reenableFeed!
  expect(again).toMatchObject({ status: 'ENABLED', consecutiveFailures: 0 })
  inHours(4, again.nextRunAt)
  expect((await audited(id)).at(-1)).toEqual({
    action: 'REENABLE_FEED',
    changes: { status: { from: 'DISABLED', to: 'ENABLED' }, consecutiveFailures: { from: 3, to: 0 } },
  })
})

test('S2 §5.1: what does not run is not paused, and what is no DISABLED feed is not re-enabled', async () => {
  const { id } = await created(whole)
  expect(codes(await statusOf('pauseFeed', id))).toEqual([['CONFLICT', 'id']])
  expect(codes(await statusOf('reenableFeed', id, ', acknowledge: true'))).toEqual([['CONFLICT', 'id']])
})

test('S2 §11.3: a paused feed says who paused it', async () => {
  const { id } = await created(whole)
  await statusOf('enableFeed', id)
  const paused = (await statusOf('pauseFeed', id)).data!.pauseFeed!
  expect(paused.statusReason).toMatch(/^Paused by first admin/)
  expect(app.log.some((line) => line.includes('FEED_STATUS_CHANGED') && line.includes('"newStatus":"PAUSED"'))).toBe(
    true,
  )
})

const waiting = async (id: string) =>
  (
    await pool.query<{ data: { trigger: string; request: number } }>(
      "select data from pgboss.job where name = 'feed-ingest' and data ->> 'feedId' = $1 order by created_on",
      [number(id)],
    )
  ).rows.map(({ data }) => data)

test('S2 §6.5: asked ten times, a feed has ten requests and one job that waits, and its times stay', async () => {
  const { id } = await created({ ...whole, scheduleFrequencyHours: 6 })
  const { nextRunAt } = (await statusOf('enableFeed', id)).data!.enableFeed!
  for (let n = 0; n < 10; n++) await statusOf('runFeed', id)
  const [after] = [(await statusOf('runFeed', id, ', force: true')).data!.runFeed!]
  expect(after).toMatchObject({ manualRunPending: true, nextRunAt })
  expect((await waiting(id)).map(({ trigger }) => trigger)).toEqual(['MANUAL'])
  const requests = await pool.query(
    'select requested::int, manual::int, forced::int, covered::int from freshet.feed_requests where feed_id = $1',
    [number(id)],
  )
  expect(requests.rows).toEqual([{ requested: 11, manual: 11, forced: 11, covered: 0 }])
})

test.each(['DRAFT', 'PAUSED', 'DISABLED'])('S2 §5.4: a feed that is %s is not run', async (status) => {
  const { id } = await created(whole)
  await pool.query('update freshet.feeds set status = $2::freshet.feed_status where id = $1', [number(id), status])
  expect(codes(await statusOf('runFeed', id))).toEqual([['FEED_NOT_ENABLED', 'id']])
  expect(await waiting(id)).toEqual([])
})

const accept = (id: string, fingerprint: string, only = false) =>
  send(
    'mutation ($id: ID!, $fingerprint: String!, $only: Boolean) { acceptHostKey(id: $id, fingerprint: $fingerprint, only: $only) { id hostKeys } }',
    { id, fingerprint, only },
  )
const keyOf = (letter: string) => `SHA256:${letter.repeat(43)}`

test('issue 5 §1: host keys are accepted beside each other, five of them, or one instead of all', async () => {
  const { id } = await created(whole)
  for (const letter of 'abcde') await accept(id, keyOf(letter))
  expect(codes(await accept(id, keyOf('f')))).toEqual([['CONFLICT', 'fingerprint']])
  expect((await accept(id, `${keyOf('a')}=`)).data!.acceptHostKey!.hostKeys).toHaveLength(5)
  expect((await accept(id, keyOf('f'), true)).data!.acceptHostKey!.hostKeys).toEqual([keyOf('f')])
  expect(codes(await accept(id, 'MD5:00:11'))).toEqual([['BAD_USER_INPUT', 'fingerprint']])
})

const list =
  'query ($filter: FeedFilter, $first: Int, $after: String) { feeds(filter: $filter, first: $first, after: $after) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }'

test('S2 §12.2: feeds are listed newest first by status, transport, network, source, retailer and name', async () => {
  const retailer = await aRetailer(pool)
  const kind = { kind: 'AFFILIATE_FEED' }
  const [one, two] = [
    await aSource(pool, retailer, { ...kind, name: 'Shop 100%', affiliate_network: 'IMPACT' }),
    await aSource(pool, retailer, { ...kind, name: 'Other' }),
  ]
  const first = encodeId('Feed', await aFeed(pool, one))
  const second = encodeId('Feed', await aFeed(pool, two, { status: 'PAUSED', transport: 'FTPS', tls_mode: 'EXPLICIT' }))
  type Listed = { feeds: { totalCount: number; nodes: Row[]; pageInfo: { hasNextPage: boolean; endCursor: string } } }
  const ask = async (filter: object, rest: object = {}) => {
    const mine = { retailerId: encodeId('Retailer', retailer), ...filter }
    return (await app.ask<Listed>(list, { filter: mine, ...rest }, { key: operator })).data!.feeds
  }
  const listed = async (filter: object) => (await ask(filter)).nodes.map(({ id }) => id)
  expect(await listed({})).toEqual([second, first])
  expect(await listed({ status: 'PAUSED' })).toEqual([second])
  expect(await listed({ transport: 'SFTP' })).toEqual([first])
  expect(await listed({ network: 'IMPACT' })).toEqual([first])
  expect(await listed({ sourceId: encodeId('Source', two) })).toEqual([second])
  expect(await listed({ q: '100%' })).toEqual([first])
  const page = await ask({}, { first: 1 })
  expect(page).toMatchObject({ totalCount: 2, nodes: [{ id: second }], pageInfo: { hasNextPage: true } })
  const rest = await ask({}, { first: 1, after: page.pageInfo.endCursor })
  expect(rest).toMatchObject({ nodes: [{ id: first }], pageInfo: { hasNextPage: false } })
})

test('a list of feeds with all that it shows takes as many statements for one as for twenty', async () => {
  const query = `{ feeds(first: 100) { nodes { id name network nextRunAt offersExpireAt manualRunPending expiryHours hasPassword
    source { retailer { name } offerCounts { visible } visibility { visible } } lastRun { id status expiryBlocked activeCountBefore feed { id } } } } }`
  const count = async () => {
    const statements = withoutKeyLookup(await statementsOf(() => app.ask(query, {}, { key: operator })))
    return statements.length
  }
  const add = async () => {
    const sourceId = await aSource(pool, await aRetailer(pool), { kind: 'AFFILIATE_FEED' })
    await aFeed(pool, sourceId)
    await aFeedRun(pool, sourceId)
  }
  await add()
  const one = await count()
  for (let n = 0; n < 20; n++) await add()
  expect(await count()).toBe(one)
  expect(one).toBeLessThanOrEqual(7)
  expect((await app.ask(query, {}, { key: operator })).errors).toBeUndefined()
})

test('RULINGS 27: a feed says when the offers expire that were shown last, and which run was its last, tests aside', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool), { kind: 'AFFILIATE_FEED', expiry_hours: 24 })
  const id = encodeId('Feed', await aFeed(pool, sourceId))
  const query = 'query ($id: ID!) { feed(id: $id) { offersExpireAt lastRun { id } } }'
  expect((await send(query, { id })).data!.feed).toEqual({ offersExpireAt: null, lastRun: null })
  const at = new Date('2026-11-18T08:00:00.000Z')
  const run = await aFeedRun(pool, sourceId, { at })
  const tried = await aFeedRun(pool, sourceId, { shown: false })
  await pool.query("update freshet.runs set trigger = 'ADMIN_TEST' where id = $1", [tried]).catch(() => {})
  const { feed } = (await send(query, { id })).data!
  expect(feed!.offersExpireAt).toBe('2026-11-19T08:00:00.000Z')
  expect([encodeId('FeedRun', run), encodeId('FeedRun', tried)]).toContain((feed!.lastRun as Row).id)
})
