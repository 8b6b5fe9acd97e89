import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import type { Actor } from '../../../src/domain/access/actor.ts'
import { decide, type Decision } from '../../../src/domain/feeds/decide.ts'
import { createLog } from '../../../src/log.ts'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedRun, type FeedStand } from '../../support/feed-runs.ts'
import { collectLines } from '../../support/lines.ts'
import { until } from '../../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const { lines, stream } = collectLines()
const log = createLog({ level: 'info', destination: stream })
const actor: Actor = { keyId: null, name: 'an operator', scopes: new Set(), requestId: 'r' }
const services = { pool: database.pool, directUrl: database.url, log, now: () => hour(2) }
const never = new AbortController().signal

const work = (decision: Decision, isRepeated = false) =>
  decide(decision, actor, { ...services, jobId: randomUUID(), isRepeated, signal: never })

/** A feed of 20 offers with a run that saw 10 of them, two of which changed, and waits for a decision. */
async function aBlock() {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const file = [...products(2, { title: 'changed' }), ...products(8, {}, 3)]
  return { feed, blocked: await feeds.run(feed, file, { at: 1 }) }
}
const approval = (feed: FeedStand, run: FeedRun, expected: number | null = 10): Decision => ({
  kind: 'APPROVE',
  feedId: feed.id,
  runId: run.id,
  expected,
})
const rejection = (feed: FeedStand, run: FeedRun): Decision => ({
  kind: 'REJECT',
  feedId: feed.id,
  runId: run.id,
  reason: 'not true',
})
const audited = async (runId: string) =>
  (
    await feeds.rowsOf<{ action: string }>(
      "select action from freshet.audit_log where object_type = 'FeedRun' and object_id = $1 order by id",
      runId,
    )
  ).map(({ action }) => action)

test.each(['approve', 'reject'])('S2 §8.7: while a run holds the feed nobody can %s: FEED_BUSY', async (kind) => {
  const { feed, blocked } = await aBlock()
  const decision = kind === 'approve' ? approval(feed, blocked) : rejection(feed, blocked)
  const before = await feeds.everythingVisible(2)
  const run = await database.pool.connect()
  await run.query('select pg_advisory_lock(4620, $1)', [feed.id])
  expect(await work(decision)).toEqual({ refusal: 'FEED_BUSY' })
  expect(await feeds.everythingVisible(2)).toEqual(before)
  expect(await audited(blocked.id)).toEqual([])
  await run.query('select pg_advisory_unlock(4620, $1)', [feed.id])
  run.release()
  expect(await work(decision)).toMatchObject({ refusal: null })
})

test('RULINGS 21: who decides in the moment between a run and the end of its connection waits for that, and is not told FEED_BUSY', async () => {
  const { feed, blocked } = await aBlock()
  const run = new pg.Client({ connectionString: database.url, application_name: `freshet:run:${blocked.jobId}` })
  await run.connect()
  await run.query('select pg_advisory_lock(4620, $1)', [feed.id])
  const decided = work(approval(feed, blocked))
  await until('the decision waits for the lock', async () => {
    const [row] = await feeds.rowsOf<{ waits: boolean }>(
      "select exists (select from pg_locks where locktype = 'advisory' and not granted and objid = $1) as waits",
      feed.id,
    )
    return row?.waits
  })
  await run.end()
  expect(await decided).toEqual({ refusal: null, promoted: 10 })
})

test('S2 §8.7: of two that approve at once one does, and the other waits for it and is told that it is done', async () => {
  const { feed, blocked } = await aBlock()
  const answers = await Promise.all([1, 2].map(() => work(approval(feed, blocked))))
  const refusals = answers.map(({ refusal }) => refusal)
  expect(answers).toContainEqual({ refusal: null, promoted: 10 })
  expect(refusals.find((refusal) => refusal !== null)).toBe('ALREADY_APPROVED')
  const promotions = await feeds.rowsOf('select kind from freshet.promotions where run_id = $1', blocked.id)
  expect(promotions).toEqual([{ kind: 'APPROVED' }])
  expect(await audited(blocked.id)).toEqual(['ACTIVATION_APPROVED'])
})

test('RULINGS 21: under the lock it is looked again, and what changed since it was shown is refused and told', async () => {
  const { feed, blocked } = await aBlock()
  const before = await feeds.everythingVisible(2)
  expect(await work(approval(feed, blocked, 9))).toEqual({ refusal: 'IMPACT_CHANGED' })
  await feeds.run(feed, products(9), { at: 1.5 })
  expect(await work(approval(feed, blocked))).toEqual({ refusal: 'STALE_RUN' })
  expect(await feeds.everythingVisible(2)).toEqual(before)
  expect(await audited(blocked.id)).toEqual([])
  const told = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ runId }) => runId === blocked.id)
  expect(told).toMatchObject(
    ['IMPACT_CHANGED', 'STALE_RUN'].map((reason) => ({ event: 'ACTIVATION_APPROVAL_REJECTED', level: 'warn', reason })),
  )
})

test.each([
  ['an approval', approval],
  ['a rejection', rejection],
] as const)(
  'RULINGS 21: a worker that died when %s was kept carries it out no second time, and nobody hears that it failed',
  async (_what, decisionOf) => {
    const { feed, blocked } = await aBlock()
    const decision = decisionOf(feed, blocked)
    expect(await work(decision)).toMatchObject({ refusal: null })
    const after = await feeds.everythingVisible(2)
    expect(await work(decision, true)).toEqual({ refusal: null, promoted: null })
    expect((await work(decision)).refusal).toMatch(/^ALREADY_/)
    expect(await feeds.everythingVisible(2)).toEqual(after)
    expect(await audited(blocked.id)).toHaveLength(1)
  },
)
