import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { aFeed, aFeedRun } from '../support/offers.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { startRun } from '../support/runs.ts'
import { statementsOf, withoutKeyLookup } from '../support/statements.ts'
import { codes, number, openFeedStand, problemsOf, updateDocument, whole, type FeedAnswer } from './feed-stand.ts'

const stand = await openFeedStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { app, pool, send, created, updated, statusOf, audited } = stand
const operator = await app.keyWith('OPERATE')

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
        "select queue, payload, period_seconds, cron, time_zone, is_enabled, disabled_reason from freshet.schedules where kind = 'feed' and subject_id = $1",
        [number(id)],
      )
    ).rows
  const row = {
    queue: 'feed-ingest',
    payload: { feedId: number(id), trigger: 'SCHEDULED' },
    period_seconds: 7200,
    cron: null,
    disabled_reason: null,
  }
  expect(await read()).toEqual([{ ...row, time_zone: 'UTC', is_enabled: false }])
  await statusOf('enableFeed', id)
  // What could not be enqueued was taken out of the clock; new times are a new beginning.
  const broken =
    "update freshet.schedules set is_enabled = false, disabled_reason = 'It failed.' where kind = 'feed' and subject_id = $1"
  await pool.query(broken, [number(id)])
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
  expect((await statusOf('enableFeed', id)).data!.enableFeed).toMatchObject({ status: 'ENABLED', statusReason: null })
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

test('S2 §17.3, §17.9: a click is told with who made it, the job it got, and the run that it waits behind', async () => {
  const { id } = await created(whole, await stand.newSource({ affiliate_network: 'IMPACT' }))
  await statusOf('enableFeed', id)
  await statusOf('runFeed', id)
  const { id: run } = await startRun(pool, { lock: [4620, Number(number(id))] })
  await statusOf('runFeed', id)
  const lines = app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  const find = (event: string) => lines.filter((line) => line.event === event && String(line.feedId) === number(id))
  const asked = { level: 'info', requestedBy: expect.stringMatching(/^first admin/) }
  expect(find('MANUAL_RUN_REQUESTED')).toMatchObject([asked, asked])
  expect(find('FEED_ENQUEUED')).toMatchObject([
    { level: 'info', trigger: 'MANUAL', network: 'IMPACT', jobId: expect.any(String) },
  ])
  expect(find('MANUAL_RUN_PENDING_SET')).toMatchObject([{ level: 'warn', activeRunId: run }])
})

test('S2 §2.1: what is pending is what a person asked for: a due time is not', async () => {
  const { id } = await created({ ...whole, scheduleFrequencyHours: 1 })
  await statusOf('enableFeed', id)
  const read = async () =>
    (await send('query ($id: ID!) { feed(id: $id) { manualRunPending } }', { id })).data!.feed!.manualRunPending
  await pool.query(
    "update freshet.schedules set last_run_at = now(), next_run_at = next_run_at + interval '1 h' where kind = 'feed' and subject_id = $1",
    [number(id)],
  )
  const requests = 'select requested::int, manual::int from freshet.feed_requests where feed_id = $1'
  expect((await pool.query(requests, [number(id)])).rows).toEqual([{ requested: 1, manual: 0 }])
  expect(await read()).toBe(false)
  await statusOf('runFeed', id)
  expect(await read()).toBe(true)
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
  type Listed = {
    feeds: { totalCount: number; nodes: FeedAnswer[]; pageInfo: { hasNextPage: boolean; endCursor: string } }
  }
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
  await aFeedRun(pool, sourceId, { shown: false, trigger: 'ADMIN_TEST' })
  const { feed } = (await send(query, { id })).data!
  expect(feed).toEqual({ offersExpireAt: '2026-11-19T08:00:00.000Z', lastRun: { id: encodeId('FeedRun', run) } })
})
