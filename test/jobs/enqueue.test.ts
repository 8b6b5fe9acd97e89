import { createHash } from 'node:crypto'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, expect, expectTypeOf, test } from 'vitest'
import { enqueue } from '../../src/domain/queue/enqueue.ts'
import { sendJob } from '../support/send-job.ts'
import { cloneDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { aJob } from './trial-job.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())
const boss = new PgBoss({ connectionString: database.url, migrate: false, supervise: false, schedule: false, max: 2 })
boss.on('error', () => {})
await boss.start()
stack.defer(() => boss.stop({ graceful: false }))

const everySetting = {
  retryLimit: 7,
  retryDelay: 3,
  retryBackoff: true,
  retryDelayMax: 90,
  expireInSeconds: 77,
  heartbeatSeconds: 13,
  retentionSeconds: 1234,
  deleteAfterSeconds: 4321,
  deadLetter: 'full-dead',
  notify: true,
}
await boss.createQueue('full-dead')
await boss.createQueue('full', everySetting)
await boss.createQueue('plain')
await boss.createQueue('only', { policy: 'exclusive' })
const full = aJob('full')
const startAfter = new Date('2031-02-03T04:05:06.789Z')

/** All columns of a job but its id; times as their distance from when it was made. */
async function rowOf(id: string | null | undefined) {
  const { rows } = await database.pool.query<Record<string, unknown>>('select * from pgboss.job where id = $1', [id])
  const [{ id: _id, ...row } = {}] = rows
  const made = (row.created_on as Date).getTime()
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.getTime() - made : value]),
  )
}

test.each([
  ['plain', {}, {}],
  ['full', {}, {}],
  ['full', { singletonKey: 'a key', priority: 9 }, { singletonKey: 'a key', priority: 9 }],
  ['full', { groupId: 'shop.example' }, { group: { id: 'shop.example' } }],
])('issue 4 §1: a job in %s enqueued with %j is, column by column, what pg-boss sends', async (queue, ours, theirs) => {
  const own = await rowOf(await sendJob(database.pool, aJob(queue), { number: 1 }, ours))
  const sent = await rowOf(await boss.send(queue, { number: 1 }, theirs))
  expect(own).toEqual(sent)
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int from information_schema.columns where table_schema = 'pgboss' and table_name = 'job'`,
  )
  expect(Object.keys(own).length + 1).toBe(rows[0]?.count)
})

test('a start in the future is kept to the millisecond, as pg-boss does, and so is how long the job is kept', async () => {
  const columns = async (id: string | null | undefined) =>
    (await database.pool.query('select start_after, keep_until from pgboss.job where id = $1', [id])).rows[0]
  const own = await columns(await sendJob(database.pool, full, { number: 1 }, { startAfter }))
  expect(own).toEqual(await columns(await boss.send('full', { number: 1 }, { startAfter })))
  expect(own).toEqual({ start_after: startAfter, keep_until: new Date(startAfter.getTime() + 1_234_000) })
})

/** The channel that pg-boss's workers listen on. */
const channel = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`

/** What is heard there. */
async function listen() {
  const listener = new pg.Client(database.url)
  await listener.connect()
  const heard: (string | undefined)[] = []
  listener.on('notification', ({ payload }) => heard.push(payload))
  await listener.query(`listen ${channel}`)
  return { heard, [Symbol.asyncDispose]: () => listener.end() }
}

test('workers are told of a job that is due, not of one that is to wait', async () => {
  await using listener = await listen()
  await sendJob(database.pool, full, { number: 1 }, { startAfter })
  await sendJob(database.pool, aJob('plain'), { number: 1 })
  await sendJob(database.pool, full, { number: 2 })
  await database.pool.query('select pg_notify($1, $2)', [channel, 'that was all'])
  await until('all is heard', () => listener.heard.includes('that was all'))
  expect(listener.heard).toEqual(['full', 'that was all'])
})

test('a queue is woken on the very channel that pg-boss wakes it on', async () => {
  await using listener = await listen()
  await boss.send('full', { number: 3 })
  await until('pg-boss is heard', () => listener.heard.length === 1)
  await database.pool.query("select freshet.wake_queue('full')")
  await until('wake_queue is heard', () => listener.heard.length === 2)
  expect(listener.heard).toEqual(['full', 'full'])
})

test('a queue that takes one job a key answers nothing for the second', async () => {
  const only = aJob('only')
  expect(await sendJob(database.pool, only, { number: 1 }, { singletonKey: 'a' })).toEqual(expect.any(String))
  expect(await sendJob(database.pool, only, { number: 2 }, { singletonKey: 'a' })).toBeUndefined()
  expect(await sendJob(database.pool, only, { number: 3 }, { singletonKey: 'b' })).toEqual(expect.any(String))
})

test('RULINGS 7: a queue that does not exist is refused at once, not at commit', async () => {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await expect(enqueue(client, aJob('nowhere'), { number: 1 })).rejects.toMatchObject({
      code: 'FR010',
      message: 'There is no queue "nowhere".',
    })
    await client.query('rollback')
  } finally {
    client.release()
  }
})

test('a pool is no transaction, so nothing is enqueued over one', () => {
  expectTypeOf<pg.PoolClient>().toExtend<Parameters<typeof enqueue>[0]>()
  expectTypeOf<pg.Pool>().not.toExtend<Parameters<typeof enqueue>[0]>()
})

test('a payload that does not fit is refused before anything is sent', async () => {
  const waiting = async () => (await database.pool.query('select from pgboss.job')).rowCount
  const before = await waiting()
  await expect(sendJob(database.pool, full, { number: 'one' } as never)).rejects.toThrow('expected number')
  expect(await waiting()).toBe(before)
})

test('a job exists exactly when the transaction that enqueued it commits', async () => {
  const client = await database.pool.connect()
  const exists = async (id: string | undefined) =>
    (await database.pool.query('select from pgboss.job where id = $1', [id])).rowCount
  try {
    await client.query('begin')
    const undone = await enqueue(client, full, { number: 1 })
    await client.query('rollback')
    await client.query('begin')
    const done = await enqueue(client, full, { number: 1 })
    expect(await exists(done)).toBe(0)
    await client.query('commit')
    expect([await exists(undone), await exists(done)]).toEqual([0, 1])
  } finally {
    client.release()
  }
})
