import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { makeJob, makeQueue } from '../../support/queue.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await makeQueue(pool, 'settled')
const failure = { code: 'FEED_GONE', message: 'The file is gone.' }
const now = new Date()

const atWork = (columns: object = {}) =>
  makeJob(pool, 'settled', { state: 'active', started_on: now, heartbeat_on: now, ...columns })
const rowOf = async (id: string) =>
  (await pool.query('select state::text, completed_on, heartbeat_on, output from pgboss.job where id = $1', [id]))
    .rows[0]

// pg-boss deletes what has ended by `completed_on`: without one a job stays for ever.
test.each([
  ['cancelled', `freshet.cancel_job('settled', $1, 0, null)`],
  ['completed', `freshet.complete_job('settled', $1, 0, null)`],
  ['cancelled', `freshet.stop_job('settled', $1, null)`],
])('a job that is %s by %s says when, so that it is deleted one day', async (state, statement) => {
  const id = await atWork()
  expect((await pool.query(`select ${statement} as is_ours`, [id])).rows).toEqual([{ is_ours: true }])
  expect(await rowOf(id)).toMatchObject({ state, completed_on: expect.any(Date) as unknown, heartbeat_on: null })
})

test.each([
  ['retried', `freshet.retry_job('settled', $1, 0, interval '5 seconds', null)`],
  ['snoozed', `freshet.snooze_job('settled', $1, 0, interval '5 seconds', null)`],
])('a job that is %s has neither an end nor a heart that beats', async (_what, statement) => {
  const id = await atWork()
  await pool.query(`select ${statement}`, [id])
  expect(await rowOf(id)).toMatchObject({ state: 'retry', completed_on: null, heartbeat_on: null })
})

test('a job that a shutdown hands back still says what its last attempt failed with', async () => {
  const id = await atWork({ output: failure })
  await pool.query("select freshet.snooze_job('settled', $1, 0, interval '0', null)", [id])
  expect(await rowOf(id)).toMatchObject({ state: 'retry', output: failure })
})

test('many jobs that are enqueued at once answer their ids in the order given, null for those that were there', async () => {
  await makeQueue(pool, 'ordered', 'exclusive')
  const numbers = Array.from({ length: 50 }, (_, number) => number)
  const enqueue = async (some: number[]) =>
    (
      await pool.query<{ ids: (string | null)[] }>('select freshet.enqueue_jobs($1, $2::jsonb[], null, $3) as ids', [
        'ordered',
        some.map((number) => JSON.stringify({ number })),
        some.map((number) => `key ${number}`),
      ])
    ).rows[0]!.ids
  const isOdd = (number: number) => number % 2 === 1
  await enqueue(numbers.filter(isOdd))
  const ids = await enqueue(numbers)
  expect(ids.map((id) => id === null)).toEqual(numbers.map(isOdd))
  const { rows } = await pool.query<{ id: string; number: number }>(
    "select id, (data ->> 'number')::int as number from pgboss.job where id = any($1)",
    [ids],
  )
  const numberOf = new Map(rows.map(({ id, number }) => [id, number]))
  expect(ids.flatMap((id) => (id ? [numberOf.get(id)] : []))).toEqual(numbers.filter((number) => !isOdd(number)))
})
