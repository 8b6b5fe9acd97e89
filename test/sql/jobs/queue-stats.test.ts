import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { makeFailure, makeJob, makeQueue } from '../../support/queue.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const now = new Date()
const ago = (ms: number) => new Date(now.getTime() - ms)
const stats = async (name: string): Promise<Record<string, unknown> | undefined> =>
  (await pool.query('select * from freshet.queue_stats($1)', [now])).rows.find((row) => row.name === name)

let count = 0
let queue = ''
beforeEach(async () => {
  queue = `parcel-${'abcdefghijkl'[count++]}`
  await makeQueue(pool, queue)
})

test('an empty queue is all zeros, with its settings and no age', async () => {
  expect(await stats(queue)).toEqual({
    name: queue,
    dead_letter: `${queue}-dead`,
    policy: 'standard',
    retry_limit: 2,
    expire_seconds: 70,
    heartbeat_seconds: 10,
    deletion_seconds: 259_200,
    waiting: 0,
    active: 0,
    delayed: 0,
    failed: 0,
    dead: 0,
    oldest_seconds: null,
    completed_minute: 0,
    completed_hour: 0,
  })
})

test('issue 4 §1: a job due at this moment waits, one due a moment later is delayed', async () => {
  await makeJob(pool, queue, { start_after: now })
  await makeJob(pool, queue, { start_after: ago(-1), state: 'retry' })
  expect(await stats(queue)).toMatchObject({ waiting: 1, delayed: 1, oldest_seconds: 0 })
})

test('the age is that of the job that could have started first, retries included; delayed ones have none', async () => {
  await makeJob(pool, queue, { start_after: ago(5_000) })
  await makeJob(pool, queue, { start_after: ago(90_500), state: 'retry' })
  await makeJob(pool, queue, { start_after: ago(-60_000), created_on: ago(600_000) })
  expect(await stats(queue)).toMatchObject({ waiting: 2, delayed: 1, oldest_seconds: 90.5 })
})

test('each state is counted once; cancelled jobs nowhere', async () => {
  await makeJob(pool, queue, { state: 'active' })
  await makeJob(pool, queue, { state: 'cancelled', completed_on: now })
  await makeJob(pool, queue, { state: 'completed', completed_on: ago(7_200_000) })
  await makeFailure(pool, queue)
  await makeFailure(pool, queue)
  expect(await stats(queue)).toMatchObject({ waiting: 0, delayed: 0, active: 1, failed: 2, dead: 2 })
})

test.each(['created', 'retry', 'active', 'completed', 'failed'])(
  'a dead letter that is %s lies there; a dismissed one does not',
  async (letter) => {
    await makeFailure(pool, queue, { letter })
    await makeFailure(pool, queue, { letter: 'cancelled' })
    expect(await stats(queue)).toMatchObject({ dead: 1 })
    expect(await stats(`${queue}-dead`)).toBeUndefined()
  },
)

test('the queues that pg-boss keeps for itself are no queues of ours', async () => {
  await makeQueue(pool, '__pgboss__parcels')
  expect(await stats('__pgboss__parcels')).toBeUndefined()
})

test('throughput counts what ended well within the last minute and hour, to the moment', async () => {
  for (const ms of [0, 59_999, 60_000, 3_599_999, 3_600_000])
    await makeJob(pool, queue, { state: 'completed', completed_on: ago(ms) })
  expect(await stats(queue)).toMatchObject({ completed_minute: 2, completed_hour: 4 })
})

test('a large queue is counted from indexes alone', async () => {
  const fill = `insert into pgboss.job (name, state, completed_on, start_after)
    select $1, s.state::pgboss.job_state, case when s.state > 'active' then $2::timestamptz - n * interval '1 second' end, $2
    from generate_series(1, 4000) n, unnest(enum_range(null::pgboss.job_state)) s(state) where s.state <> 'cancelled'`
  await pool.query(fill, [queue, now])
  await pool.query('vacuum analyze pgboss.job_common')
  const { rows } = await pool.query<{ sql: string }>("select prosrc as sql from pg_proc where proname = 'queue_stats'")
  const explain = `explain (format json) ${rows[0]!.sql.replaceAll('p_now', '$1::timestamptz')}`
  const plan = JSON.stringify((await pool.query(explain, [now])).rows)
  expect(plan.match(/"Index Name":"job_common_(i11|freshet_state_idx)"/g)?.length).toBe(6)
  expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"job_common"/)
  expect(await stats(queue)).toMatchObject({ waiting: 8000, active: 4000, failed: 4000, completed_hour: 3599 })
})
