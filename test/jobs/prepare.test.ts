import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { prepareQueues } from '../../src/jobs/kit/prepare.ts'
import { createTestRole } from '../support/role.ts'
import { cloneDatabase } from '../support/database.ts'
import { aJob } from './trial-job.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())

const settings = async (name: string) => {
  const { rows } = await database.pool.query<object>(
    `select policy, retry_limit, retry_delay, retry_backoff, expire_seconds, heartbeat_seconds, retention_seconds, deletion_seconds,
       dead_letter, notify
     from pgboss.queue where name = $1`,
    [name],
  )
  return rows[0]
}

test('a queue is made with its dead letter queue', async () => {
  expect(await prepareQueues(database.pool, [aJob('parcel')])).toEqual(['parcel-dead', 'parcel'])
  expect(await settings('parcel')).toEqual({
    policy: 'standard',
    retry_limit: 2,
    retry_delay: 0,
    retry_backoff: false,
    expire_seconds: 70,
    heartbeat_seconds: 10,
    retention_seconds: 14 * 86_400,
    deletion_seconds: 259_200,
    dead_letter: 'parcel-dead',
    notify: true,
  })
  expect(await settings('parcel-dead')).toEqual({
    policy: 'standard',
    retry_limit: 76,
    retry_delay: 0,
    retry_backoff: false,
    expire_seconds: 70,
    heartbeat_seconds: 10,
    retention_seconds: 14 * 86_400,
    deletion_seconds: 1_209_600,
    dead_letter: null,
    notify: true,
  })
})

test('issue 4 §1: settings that changed are brought up to date on the next start, the rest is left alone', async () => {
  const before = aJob('letter')
  const after = aJob('letter', undefined, {
    retryDelays: [1],
    expireInSeconds: 7,
    policy: 'exclusive',
    keepSeconds: 60,
  })
  await prepareQueues(database.pool, [before])
  expect(await prepareQueues(database.pool, [before])).toEqual([])
  expect(await prepareQueues(database.pool, [after])).toEqual(['letter'])
  expect(await settings('letter')).toMatchObject({
    policy: 'exclusive',
    retry_limit: 1,
    expire_seconds: 17,
    deletion_seconds: 60,
  })
})

test('issue 4 §1: whatever was changed by hand, or by another program, is set right on the next start', async () => {
  const job = aJob('strayed')
  await prepareQueues(database.pool, [job])
  const right = await settings('strayed')
  for (const change of [
    "policy = 'short'",
    'retry_limit = 9',
    'retry_delay = 9',
    'retry_backoff = true',
    'expire_seconds = 9',
    'heartbeat_seconds = 99',
    'retention_seconds = 9',
    'deletion_seconds = 9',
    'dead_letter = null',
    'notify = false',
  ]) {
    await database.pool.query(`update pgboss.queue set ${change} where name = 'strayed'`)
    expect([change, await prepareQueues(database.pool, [job])]).toEqual([change, ['strayed']])
    expect([change, await settings('strayed')]).toEqual([change, right])
    expect(await prepareQueues(database.pool, [job])).toEqual([])
  }
})

test('ten processes that start at once make each queue once', async () => {
  const jobs = ['one', 'two', 'three'].map((name) => aJob(name))
  const pools = Array.from({ length: 10 }, () => new pg.Pool({ connectionString: database.url, max: 1 }))
  const made = await Promise.all(pools.map((pool) => prepareQueues(pool, jobs)))
  await Promise.all(pools.map((pool) => pool.end()))
  expect(new Set(made.flat())).toEqual(new Set(['one', 'two', 'three', 'one-dead', 'two-dead', 'three-dead']))
  const { rows } = await database.pool.query("select count(*)::int from pgboss.queue where name ~ '^(one|two|three)'")
  expect(rows).toEqual([{ count: 6 }])
})

test('a role without DDL rights makes and updates queues', async () => {
  await using role = await createTestRole(database)
  await database.pool.query('select freshet.grant_runtime($1)', [role.name])
  await using pool = role.connect()
  expect(await prepareQueues(pool, [aJob('errand')])).toEqual(['errand-dead', 'errand'])
  expect(await prepareQueues(pool, [aJob('errand', undefined, { retryDelays: [] })])).toEqual(['errand'])
})

test.each(['Feed', 'feed_ingest', 'feed-dead', '-feed'])('a queue is not called %s', (name) => {
  expect(() => aJob(name)).toThrow(`this is "${name}"`)
})

test('a batch is for jobs that end within 60 s, not 61', () => {
  expect(aJob('quick', undefined, { batchSize: 2, expireInSeconds: 60 }).options.batchSize).toBe(2)
  expect(() => aJob('slow', undefined, { batchSize: 2, expireInSeconds: 61 })).toThrow('must not hold up a batch')
})
