import type pg from 'pg'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { readId } from '../../src/domain/global-id.ts'
import { standardLimits } from '../../src/domain/feeds/transport/limits.ts'
import { feedIngest } from '../../src/jobs/feed-ingest.ts'
import { feedTest } from '../../src/jobs/feed-test.ts'
import { startTestApp } from '../support/app.ts'
import { impactCsv, productsOf, type Product } from '../support/feed-files.ts'
import { aFeedOver, asked } from '../support/feeds.ts'
import { sftpUser, startSftpServer } from '../support/sftp-server.ts'
import { until } from '../support/until.ts'
import { whileHeld } from '../support/while-held.ts'

const server = await startSftpServer()
const app = await startTestApp({ env: { FRESHET_ALLOW_PRIVATE_NETWORK: 'true' } })
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

type Run = { id: string; status: string; errorCode: string | null } & Record<string, unknown>

const ask = <Data>(query: string, variables?: object) => asked<Data>(app, query, variables)

let day = 0
/** Lays a file down, as a network does at night. */
const serve = (products: Product[]) =>
  server.serve(Buffer.from(impactCsv(products)), new Date(Date.UTC(2026, 0, ++day)))

const aFeed = (settings: object = {}) => aFeedOver(app, server, { settings })

const lastRun = async (id: string) =>
  (
    await ask<{ feed: { lastRun: Run | null } }>(
      `query ($id: ID!) { feed(id: $id) { lastRun { id status trigger errorCode errorMessage errorHint counters skippedReason
        expiryBlocked expiryBlockedReason blockReasons activeCountBefore seenSuccessCount wouldExpireCount productsExpired } } }`,
      { id },
    )
  ).feed.lastRun

/** Asks for a run, and waits for its end. */
async function run(id: string, force = false): Promise<Run> {
  const before = await lastRun(id)
  await ask('mutation ($id: ID!, $force: Boolean) { runFeed(id: $id, force: $force) { id } }', { id, force })
  let now: Run | null = null
  await until('the run has ended', async () => {
    now = await lastRun(id)
    return now !== null && now.id !== before?.id && now.status !== 'RUNNING'
  })
  return now!
}

const visible = async (id: string) => {
  const { feed } = await ask<{ feed: { source: { id: string } } }>(
    'query ($id: ID!) { feed(id: $id) { source { id } } }',
    { id },
  )
  const { offers } = await ask<{ offers: { nodes: { title: string; price: string }[]; totalCount: number } }>(
    'query ($sourceId: ID!) { offers(first: 100, filter: { sourceId: $sourceId }) { totalCount nodes { title price } } }',
    { sourceId: feed.source.id },
  )
  return offers
}

test('S2 §6.4: a file becomes offers, from a click to what consumers see', async () => {
  serve(productsOf(20, (n) => ({ price: `${n}.50` })))
  const id = await aFeed()
  expect(await run(id)).toMatchObject({
    status: 'SUCCEEDED',
    trigger: 'MANUAL',
    expiryBlocked: false,
    counters: { rowsRead: 20, rowsParsed: 20, productsUpserted: 20, pricesWritten: 20 },
  })
  const { totalCount, nodes } = await visible(id)
  expect(totalCount).toBe(20)
  expect(nodes[0]).toEqual({ title: 'Product i1', price: '1.50' })
})

test('S2 §9.5: a file that did not change is not taken in again, unless somebody insists', async () => {
  serve(productsOf(20))
  const id = await aFeed()
  await run(id)
  expect(await run(id)).toMatchObject({ status: 'SUCCEEDED', skippedReason: 'UNCHANGED_MTIME' })
  day += 1
  serve(productsOf(20))
  expect(await run(id)).toMatchObject({ status: 'SUCCEEDED', skippedReason: 'UNCHANGED_HASH' })
  expect(await run(id, true)).toMatchObject({ skippedReason: null, counters: { rowsRead: 20, productsUpserted: 20 } })
})

test('RULINGS 27: what a run finds out is not kept where its feed was moved meanwhile: neither the file nor the host key', async () => {
  serve(productsOf(20))
  const id = await aFeed()
  const move = (client: pg.PoolClient) =>
    client.query("update freshet.feeds set host = 'elsewhere.example' where id = $1", [readId(id)?.id])
  expect(await whileHeld(app.pool, move, () => run(id))).toMatchObject({ status: 'SUCCEEDED', skippedReason: null })
  const kept =
    'select host_keys, last_remote_mtime, last_remote_size, last_content_hash from freshet.feeds where id = $1'
  expect((await app.pool.query(kept, [readId(id)?.id])).rows).toEqual([
    { host_keys: [], last_remote_mtime: null, last_remote_size: null, last_content_hash: null },
  ])
})

test('RULINGS 8: offers are seen at the database’s time, so that a worker whose clock is behind hides none', async () => {
  serve(productsOf(20))
  const id = await aFeed()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  await run(id)
  const seen = `select count(*)::int as offers, bool_and(last_seen_success_at > now() - interval '1 hour') as "isNow"
    from freshet.offer_presence p join freshet.offers o on o.id = p.offer_id join freshet.feeds f using (source_id) where f.id = $1`
  expect((await app.pool.query(seen, [readId(id)?.id])).rows).toEqual([{ offers: 20, isNow: true }])
})

test('S2 §8.7: a file that lost many offers changes nothing until an operator who saw the impact approves', async () => {
  serve(productsOf(50))
  const id = await aFeed()
  await run(id)
  const before = await visible(id)
  serve(productsOf(30, () => ({ price: '11.00' })))
  const blocked = await run(id)
  expect(blocked).toMatchObject({
    status: 'SUCCEEDED',
    expiryBlocked: true,
    expiryBlockedReason: 'SPIKE_THRESHOLD_EXCEEDED',
    activeCountBefore: 50,
    seenSuccessCount: 30,
    wouldExpireCount: 20,
    productsExpired: null,
  })
  expect(await visible(id)).toEqual(before)
  const impact = await ask<{ run: { impact: Record<string, unknown> } }>(
    'query ($id: ID!) { run(id: $id) { ... on FeedRun { impact(first: 1) { wouldExpireCount wouldAppearCount priceChangeCount nodes { effect oldPrice newPrice } } } } }',
    { id: blocked.id },
  )
  expect(impact.run.impact).toEqual({
    wouldExpireCount: 20,
    wouldAppearCount: 0,
    priceChangeCount: 30,
    nodes: [{ effect: 'PRICE', oldPrice: '10.00', newPrice: '11.00' }],
  })
  const approve = `mutation ($runId: ID!, $expected: Int) { approveActivation(runId: $runId, expectedWouldExpire: $expected) {
    isDone run { expiryBlocked expiryApprovedAt expiryApprovedBy } } }`
  const other = await app.ask(approve, { runId: blocked.id, expected: 19 }, { key: app.firstKey })
  expect(other.errors?.[0]?.extensions.code).toBe('IMPACT_CHANGED')
  expect(await ask(approve, { runId: blocked.id, expected: 20 })).toMatchObject({
    approveActivation: { isDone: true, run: { expiryBlocked: true, expiryApprovedBy: expect.any(String) } },
  })
  const { nodes } = await visible(id)
  expect(nodes.filter(({ price }) => price === '11.00')).toHaveLength(30)
})

test('RULINGS 6: a run has three attempts, 5 s and 15 s apart, of six hours each, of which a download takes two at most', async () => {
  const { rows } = await app.pool.query(
    "select retry_limit, expire_seconds, policy from pgboss.queue where name = 'feed-ingest'",
  )
  // Ten seconds more than the kit itself allows.
  expect(rows).toEqual([{ retry_limit: 2, expire_seconds: 6 * 3_600 + 10, policy: 'short' }])
  expect(feedIngest.options).toMatchObject({ retryDelays: [5, 15], expireInSeconds: 6 * 3_600 })
  expect(standardLimits.totalMs).toBe(2 * 3_600_000)
})

test('RULINGS 24: a test has one attempt', () => {
  expect(feedTest.options?.retryDelays).toEqual([])
})

test('S2 §16.2: a wrong password fails at once, with what to do, and nothing of it is said', async () => {
  serve(productsOf(20))
  const id = await aFeed({ password: 'canary-wrong' })
  const failed = await run(id)
  expect(failed).toMatchObject({ status: 'FAILED', errorCode: 'FEED_LOGIN_REFUSED' })
  expect(JSON.stringify([failed, app.log])).not.toContain('canary-wrong')
})

test('S2 §12.5: a feed that is tried shows what its rows would become, and changes nothing', async () => {
  serve(productsOf(120))
  const { host, port, path } = server.connection
  const { testFeed } = await ask<{ testFeed: { isDone: boolean; run: { status: string; testResult: unknown } } }>(
    'mutation ($input: TestFeedInput!) { testFeed(input: $input) { isDone run { status errorMessage testResult } } }',
    { input: { transport: 'SFTP', host, port, path, dialect: 'IMPACT', ...sftpUser } },
  )
  expect(testFeed).toMatchObject({
    isDone: true,
    run: { status: 'SUCCEEDED', testResult: { success: true, rowsDetected: 100, errors: [], warnings: [] } },
  })
  const { sampleRows } = testFeed.run.testResult as { sampleRows: object[] }
  expect(sampleRows).toHaveLength(10)
  expect(sampleRows[0]).toEqual({
    itemId: 'i1',
    sku: null,
    title: 'Product i1',
    price: '10.00',
    currency: 'USD',
    url: expect.stringMatching(/^https:/),
    inStock: true,
  })
})

test('S2 §12.5: a feed that is tried names its decimal mark, and shows no parent that its rows name', async () => {
  const lines = [
    'SKU,Parent SKU,Name,Url,Price',
    'p,,P,https://shop.example/p,"12,50"',
    'v,p,V,https://shop.example/v,1.299',
  ]
  server.serve(Buffer.from(lines.join('\n')), new Date(Date.UTC(2026, 0, ++day)))
  const { host, port, path } = server.connection
  const tried = async (input: object) => {
    const { testFeed } = await ask<{ testFeed: { run: { testResult: unknown } } }>(
      'mutation ($input: TestFeedInput!) { testFeed(input: $input) { run { testResult } } }',
      { input: { transport: 'SFTP', host, port, path, dialect: 'IMPACT', ...sftpUser, ...input } },
    )
    return testFeed.run.testResult
  }
  expect(await tried({})).toMatchObject({
    formatDetected: { decimalMark: 'COMMA', decimalMarkFrom: 'FILE' },
    sampleRows: [{ sku: 'v', price: '1299' }],
    warnings: [],
  })
  expect(await tried({ decimalMark: 'POINT' })).toMatchObject({
    formatDetected: { decimalMark: 'POINT', decimalMarkFrom: 'SETTING' },
    sampleRows: [{ sku: 'v', price: '1.299' }],
    warnings: [{ code: 'DECIMAL_MARK_UNCLEAR' }],
  })
})

test('FAULTS S14: a feed that is tried shows nothing of its password, wherever in the file that stands', async () => {
  const { password } = sftpUser
  const rows = [`1,${password},https://shop.example/1,5`, `2,Name,https://shop.example/2,${password}`, `${password},,,`]
  server.serve(Buffer.from(['Id,Name,Url,Price', ...rows].join('\n')), new Date(Date.UTC(2026, 0, ++day)))
  const { host, port, path } = server.connection
  const { testFeed } = await ask<{ testFeed: { run: { testResult: unknown } } }>(
    'mutation ($input: TestFeedInput!) { testFeed(input: $input) { run { testResult errors(first: 9) { nodes { message } } } } }',
    { input: { transport: 'SFTP', host, port, path, ...sftpUser } },
  )
  expect(testFeed.run.testResult).toMatchObject({ success: true, rowsDetected: 3, sampleRows: [{ title: '********' }] })
  expect(JSON.stringify(testFeed)).not.toContain(password)
})

test('DESIGN 9.10, RULINGS 24: the first to see a host key pins it, audited, be it a test; what is pinned stays', async () => {
  serve(productsOf(2))
  const id = await aFeedOver(app, server, { settings: { path: '/feeds/none.csv' }, isEnabled: false })
  const row = [readId(id)?.id]
  const pins = async () =>
    (await app.pool.query<{ host_keys: string[] }>('select host_keys from freshet.feeds where id = $1', row)).rows[0]
  expect(await pins()).toEqual({ host_keys: [] })
  expect(await ask('mutation ($id: ID!) { testFeed(id: $id) { run { errorCode feed { id } } } }', { id })).toEqual({
    testFeed: { run: { errorCode: 'FEED_FILE_NOT_FOUND', feed: { id } } },
  })
  expect(await pins()).toEqual({ host_keys: [server.fingerprint] })
  const { rows } = await app.pool.query(
    "select actor, changes from freshet.audit_log where action = 'HOST_KEY_LEARNED' and object_id = $1::bigint::text",
    row,
  )
  expect(rows).toEqual([{ actor: 'freshet', changes: { hostKeys: { to: server.fingerprint } } }])
  const { host, port } = server.connection
  const learned = await app.pool.query('select freshet.learn_host_key($1, $2, $3, $4)', [
    ...row,
    host,
    port,
    'SHA256:y',
  ])
  expect([learned.rows, await pins()]).toEqual([[{ learn_host_key: false }], { host_keys: [server.fingerprint] }])
})

test('FAULTS S14: what opens a server stands in no table, job or line of the log, be it stored, tried or refused', async () => {
  const secrets = { password: 'canary-password', privateKey: pem('canary-key'), passphrase: 'canary-phrase' }
  const id = await aFeed(secrets)
  expect(await run(id)).toMatchObject({ status: 'FAILED', errorCode: 'PRIVATE_KEY_UNUSABLE' })
  const { host, port, path } = server.connection
  const tries =
    'mutation ($input: TestFeedInput!) { testFeed(input: $input) { run { errorCode errorMessage errorHint } } }'
  const tried = async (credential: object) =>
    ask<{ testFeed: { run: { errorCode: string } } }>(tries, {
      input: { transport: 'SFTP', host, port, path, username: sftpUser.username, ...credential },
    })
  const answers = [await tried(secrets), await tried({ password: secrets.password })]
  expect(answers.map(({ testFeed }) => testFeed.run.errorCode)).toEqual(['PRIVATE_KEY_UNUSABLE', 'FEED_LOGIN_REFUSED'])
  const { rows: tables } = await app.pool.query<{ name: string }>(
    "select c.oid::regclass::text as name from pg_class c where c.relnamespace in ('freshet'::regnamespace, 'pgboss'::regnamespace) and c.relkind = 'r'",
  )
  expect(tables.length).toBeGreaterThan(30)
  // Bytes are shown in hexadecimal.
  const forms = `(canary|${Buffer.from('canary').toString('hex')}|${Buffer.from('canary').toString('base64')})`
  const each = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::int from ${name} t where t::text ~ '${forms}'`,
  )
  const { rows } = await app.pool.query<{ name: string; count: number }>(
    `select name from (${each.join(' union all ')}) found where count > 0`,
  )
  expect(rows).toEqual([])
  expect(JSON.stringify([answers, app.log])).not.toContain('canary-p')
  expect(JSON.stringify([answers, app.log])).not.toContain('canary-key')
})

const pem = (body: string) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`
