import { afterAll, beforeAll, expect, test } from 'vitest'
import { readId } from '../../src/domain/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { impactCsv, productsOf, type Product } from '../support/feed-files.ts'
import { aFeedOver, asked } from '../support/feeds.ts'
import { startSftpServer } from '../support/sftp-server.ts'
import { until } from '../support/until.ts'

const server = await startSftpServer()
const app = await startTestApp({ env: { FRESHET_ALLOW_PRIVATE_NETWORK: 'true' } })
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

type Line = { event?: string; level: string; runId?: string } & Record<string, unknown>

const lines = (): Line[] => app.log.map((line) => JSON.parse(line) as Line)

/** Runs the feed once over this file; answers what the log says of that run. */
async function run(id: string, file: string, day: number): Promise<Line[]> {
  server.serve(Buffer.from(file), new Date(Date.UTC(2026, 0, day)))
  const ended = () => lines().filter(({ event }) => event === 'RUN_COMPLETE').length
  const before = ended()
  await asked(app, 'mutation ($id: ID!) { runFeed(id: $id) { id } }', { id })
  await until('the run is told to have ended', async () => ended() > before)
  const runId = lines().findLast(({ event }) => event === 'RUN_COMPLETE')?.runId
  return lines().filter((line) => line.runId === runId)
}

const eventsOf = (told: Line[], level: string) => told.flatMap((line) => (line.level === level && line.event) || [])
const find = (told: Line[], event: string) => told.find((line) => line.event === event)

const noIdentity: Product = { id: '', url: 'https://shop.example/no-id' }
const first = impactCsv([...productsOf(20), { id: 'i1', price: '11.00' }, { id: 'bad', price: 'POA' }, noIdentity])
const second = impactCsv([...productsOf(20, (n) => (n === 1 ? { title: 'New', price: '11.00' } : {})), noIdentity])

let told: Line[] = []
let later: Line[] = []
beforeAll(async () => {
  const id = await aFeedOver(app, server, { settings: { dialect: 'IMPACT' } })
  told = await run(id, first, 1)
  later = await run(id, second, 2)
})

test('S2 §17.12: a run that goes well tells its way in this order', () => {
  expect(eventsOf(told, 'info')).toEqual([
    'RUN_START',
    'DOWNLOAD_START',
    'DOWNLOAD_COMPLETE',
    'PARSE_START',
    'UPSERT_BATCH_START',
    'UPSERT_BATCH_COMPLETE',
    'PARSE_COMPLETE',
    'CIRCUIT_BREAKER_START',
    'CIRCUIT_BREAKER_PASSED',
    'PROMOTE_COMPLETE',
    'RUN_COMPLETE',
  ])
})

test('S2 §17.2: each line of it names feed, run, source, network and stage', () => {
  const named = { feedId: expect.any(String), runId: expect.any(String), sourceId: expect.any(String) }
  expect(find(told, 'PARSE_COMPLETE')).toMatchObject({ ...named, network: 'IMPACT', stage: 'PARSE' })
  expect(find(told, 'PROMOTE_COMPLETE')).toMatchObject({ ...named, network: 'IMPACT', stage: 'EVALUATE' })
})

test('S2 §17.5, §17.7, §17.8: what was read, written, judged and shown is counted', () => {
  expect(find(told, 'PARSE_COMPLETE')).toMatchObject({ totalRows: 23, parsedRows: 22, skippedRows: 1 })
  expect(find(told, 'PARSE_PROGRESS')).toMatchObject({
    level: 'debug',
    rowsRead: 23,
    rowsParsed: 22,
    percentComplete: 100,
  })
  expect(find(told, 'PARSE_BATCH_COMPLETE')).toMatchObject({ level: 'debug', batchNumber: 1, rowsInBatch: 23 })
  expect(find(told, 'UPSERT_BATCH_COMPLETE')).toMatchObject({ batchNumber: 1, productsUpserted: 21, pricesWritten: 21 })
  expect(find(told, 'CIRCUIT_BREAKER_PASSED')).toMatchObject({ thresholdPercent: 30, thresholdAbsolute: 500 })
  expect(find(told, 'PROMOTE_COMPLETE')).toMatchObject({ promoteRowsUpdated: 21, productsExpired: 0 })
})

test('S2 §17.13: what is to be watched of the rows is told once a run, with its count', () => {
  const warned = told
    .filter(({ level, stage }) => level === 'warn' && stage === 'PARSE')
    .map(({ event, reason, count }) => ({ event, reason, count }))
  expect(warned).toEqual([
    { event: 'DUPLICATE_ROW_SAME_IDENTITY', reason: undefined, count: 1 },
    { event: 'PARSE_ROW_SKIPPED', reason: 'PRICE_ON_REQUEST', count: 1 },
    { event: 'URL_HASH_FALLBACK', reason: undefined, count: 1 },
  ])
})

test('issue 5 §7: single rows are told of at DEBUG only, and of a batch only a few', () => {
  const ofRows = (event: string) => told.filter((line) => line.event === event && line.level === 'debug')
  expect(ofRows('PARSE_ROW_SKIPPED')).toMatchObject([
    { rowNumber: 23, reason: 'PRICE_ON_REQUEST', rawRow: { CatalogItemId: 'bad' } },
  ])
  expect(ofRows('DUPLICATE_ROW_SAME_IDENTITY')).toMatchObject([{ rowNumber: 22, item: 'i1' }])
  for (const event of ['IDENTITY_RESOLVED', 'PRICE_SIGNATURE', 'PRODUCT_CREATED', 'PRICE_WRITTEN', 'SEEN_STAGED'])
    expect(ofRows(event)).toHaveLength(5)
  expect(find(told, 'PRODUCT_CREATED')).toMatchObject({ identityType: 'IMPACT_ITEM_ID', identityValue: 'i1' })
  expect(find(told, 'PRICE_SIGNATURE')).toMatchObject({
    rowNumber: 22,
    amount: '11.00',
    currency: 'USD',
    changed: true,
  })
})

test('S2 §17.7: a row that says something new tells which fields; rows with news are told before others', () => {
  const updated = later.filter(({ event }) => event === 'PRODUCT_UPDATED')
  expect(updated).toMatchObject([{ fieldsChanged: ['title'] }])
  expect(later.filter(({ event }) => event === 'PRICE_WRITTEN')).toEqual([])
  expect(find(later, 'UPSERT_BATCH_COMPLETE')).toMatchObject({ productsUpserted: 21, pricesWritten: 0 })
})

test('S2 §17.10: at the end of a run it is told whether another one was asked for meanwhile', () => {
  expect(find(told, 'MANUAL_RUN_PENDING_CHECK')).toMatchObject({
    level: 'debug',
    feedId: expect.any(String),
    pending: false,
    enqueuingFollowUp: false,
  })
})

test('S2 §17.9, §17.13: the failure that disables a feed is told as such, the one before is not', async () => {
  const id = await aFeedOver(app, server, { settings: { password: 'canary-wrong' } })
  const number = readId(id)!.id
  await app.pool.query('update freshet.feeds set consecutive_failures = 1 where id = $1', [number])
  const ofFeed = (event: string) => lines().filter((line) => line.event === event && line.feedId === number)
  const fail = async (count: number) => {
    await asked(app, 'mutation ($id: ID!) { runFeed(id: $id) { id } }', { id })
    await until('the run has failed', async () => ofFeed('MANUAL_RUN_PENDING_CHECK').length === count)
  }
  await fail(1)
  expect(ofFeed('FEED_AUTO_DISABLED')).toEqual([])
  await fail(2)
  expect(ofFeed('FEED_AUTO_DISABLED')).toMatchObject([
    { level: 'warn', consecutiveFailures: 3, lastError: 'FEED_LOGIN_REFUSED', runId: expect.any(String) },
  ])
})

/** Asks for a run as `runFeed` does, without looking at the feed's status; answers the lines that tell of the feed from then on. */
async function click(number: string) {
  const before = app.log.length
  await app.pool.query('select freshet.request_feed_run($1, false, now())', [number])
  return (event: string) =>
    lines()
      .slice(before)
      .filter((line) => line.event === event && line.feedId === number)
}
const runsOf = async (number: string) =>
  (await app.pool.query('select from freshet.feed_runs where feed_id = $1', [number])).rowCount

test('S2 §17.10: a click that finds its feed at work is told as put off, and makes no run', async () => {
  const number = readId(await aFeedOver(app, server))!.id
  const holder = await app.pool.connect()
  await holder.query('select pg_advisory_lock(4620, $1)', [number])
  const find = await click(number)
  await until('the job has found the lock busy', async () => find('MANUAL_RUN_DEFERRED').length > 0)
  expect(find('MANUAL_RUN_DEFERRED')).toMatchObject([{ level: 'debug', lockClass: 4620, lockId: Number(number) }])
  await holder.query('select pg_advisory_unlock(4620, $1)', [number])
  holder.release()
  expect(await runsOf(number)).toBe(0)
})

test('S2 §17.3: a job whose feed was paused meanwhile tells why it does nothing', async () => {
  const number = readId(await aFeedOver(app, server))!.id
  await app.pool.query("update freshet.feeds set status = 'PAUSED' where id = $1", [number])
  const find = await click(number)
  await until('the job has found the feed paused', async () => find('FEED_SKIPPED_STATUS').length > 0)
  expect(find('FEED_SKIPPED_STATUS')).toMatchObject([{ level: 'debug', status: 'PAUSED' }])
  expect(await runsOf(number)).toBe(0)
})

test('S2 §17.5: a field that no column tells is told of, once a file', () => {
  const missing = told.filter(({ event }) => event === 'PARSE_COLUMN_MISSING')
  const names = missing.map(({ columnName }) => columnName)
  expect(names).toContain('landingLink')
  expect(new Set(names).size).toBe(names.length)
  expect(missing.every(({ level, required }) => level === 'debug' && required === false)).toBe(true)
})
