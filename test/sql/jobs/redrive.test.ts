import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { jobsIn, makeFailure, makeJob, makeQueue } from '../../support/queue.ts'
import { until } from '../../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

let count = 0
let queue = ''
let dead = ''
beforeEach(async () => {
  queue = `letter-${String.fromCodePoint(97 + count++)}`
  dead = `${queue}-dead`
  await makeQueue(pool, queue)
})

const repeat = async (id: string): Promise<string | null> =>
  (await pool.query<{ id: string | null }>('select freshet.repeat_job($1, $2) as id', [queue, id])).rows[0]!.id
const redrive = async (limit: number): Promise<number> =>
  (await pool.query<{ n: number }>('select freshet.redrive_queue($1, $2) as n', [queue, limit])).rows[0]!.n
const waiting = async () => (await jobsIn(pool, queue)).filter(({ state }) => state === 'created')

const numbersOf = (jobs: { data: unknown }[]) =>
  jobs.map(({ data }) => (data as { number: number }).number).toSorted((a, b) => a - b)

test('RULINGS 1: a repeated job is a new one with the same payload; the old one says which, and keeps its error', async () => {
  const { id } = await makeFailure(pool, queue, { payload: { number: 5 } })
  const next = await repeat(id)
  expect(next).not.toBe(id)
  expect(await jobsIn(pool, queue)).toEqual([
    expect.objectContaining({
      id,
      state: 'cancelled',
      output: expect.objectContaining({ code: 'FEED_GONE', repeatedAs: next }) as unknown,
    }),
    { id: next, state: 'created', data: { number: 5 }, output: null },
  ])
})

test('a repeated job takes its dead letter along', async () => {
  const { id } = await makeFailure(pool, queue)
  await makeFailure(pool, queue)
  await repeat(id)
  expect(await jobsIn(pool, dead)).toHaveLength(1)
  expect(await redrive(10)).toBe(1)
})

test('a new job keeps key, group and priority, and has the settings of its queue', async () => {
  const { id } = await makeFailure(pool, queue)
  await pool.query("update pgboss.job set singleton_key = 'a', group_id = 'b', priority = 7 where id = $1", [id])
  const next = await repeat(id)
  const { rows } = await pool.query(
    'select singleton_key, group_id, priority, retry_limit, retry_count, dead_letter from pgboss.job where id = $1',
    [next],
  )
  const settings = { retry_limit: 2, retry_count: 0, dead_letter: dead }
  expect(rows).toEqual([{ singleton_key: 'a', group_id: 'b', priority: 7, ...settings }])
})

test.each(['created', 'retry', 'active', 'completed'])('a job that is %s cannot be repeated', async (state) => {
  const id = await makeJob(pool, queue, { state })
  expect(await repeat(id)).toBeNull()
  expect(await jobsIn(pool, queue)).toEqual([expect.objectContaining({ id, state })])
})

test('a cancelled job can be repeated, once', async () => {
  const id = await makeJob(pool, queue, { state: 'cancelled' })
  expect(await repeat(id)).toMatch(/^[\da-f-]{36}$/)
  expect(await repeat(id)).toBeNull()
  expect(await repeat(randomUUID())).toBeNull()
  expect(await waiting()).toHaveLength(1)
})

test('ten who repeat one job at once make one new job', async () => {
  const { id } = await makeFailure(pool, queue)
  const made = await Promise.all(Array.from({ length: 10 }, () => repeat(id)))
  expect(made.filter(Boolean)).toHaveLength(1)
  expect(await waiting()).toHaveLength(1)
})

test('where the queue takes one job a key and has one, nothing is repeated and the letter stays', async () => {
  await makeQueue(pool, queue, 'exclusive')
  const { id } = await makeFailure(pool, queue)
  await makeJob(pool, queue)
  expect(await repeat(id)).toBeNull()
  expect(await redrive(10)).toBe(0)
  expect(await jobsIn(pool, dead)).toHaveLength(1)
  expect(await waiting()).toHaveLength(1)
})

test('dead letters go back oldest first, as many as asked for', async () => {
  const at = (seconds: number) => new Date(Date.now() - 60_000 + seconds * 1000)
  for (const number of [2, 0, 1]) await makeFailure(pool, queue, { payload: { number }, at: at(number) })
  expect(await redrive(2)).toBe(2)
  expect(numbersOf(await waiting())).toEqual([0, 1])
  expect((await jobsIn(pool, dead)).map(({ data }) => data)).toEqual([{ number: 2 }])
  expect(await redrive(2)).toBe(1)
  expect(await redrive(2)).toBe(0)
})

test.each(['created', 'retry', 'active', 'cancelled'])(
  'a dead letter that is %s stays: its failure is not recorded yet, or it was dismissed',
  async (letter) => {
    await makeFailure(pool, queue, { letter })
    expect(await redrive(10)).toBe(0)
    expect(await waiting()).toEqual([])
  },
)

test('a dead letter whose job was deleted long ago goes back all the same', async () => {
  const { id } = await makeFailure(pool, queue, { payload: { number: 9 } })
  await pool.query('delete from pgboss.job where id = $1', [id])
  expect(await redrive(1)).toBe(1)
  expect(await jobsIn(pool, queue)).toEqual([expect.objectContaining({ state: 'created', data: { number: 9 } })])
  expect(await jobsIn(pool, dead)).toEqual([])
})

test('a dead letter whose job was set going otherwise brings nothing back and goes', async () => {
  const { id } = await makeFailure(pool, queue)
  await pool.query("update pgboss.job set state = 'retry' where id = $1", [id])
  expect(await redrive(1)).toBe(0)
  expect(await jobsIn(pool, dead)).toEqual([])
  expect(await jobsIn(pool, queue)).toHaveLength(1)
})

test('issue 4 §1: two who redrive at once, and one who repeats, bring each job back exactly once', async () => {
  const failures = []
  for (let number = 0; number < 40; number++) failures.push(await makeFailure(pool, queue, { payload: { number } }))
  const repeats = failures.slice(0, 6).map(({ id }) => repeat(id))
  const moved = await Promise.all([redrive(1000), redrive(1000), ...repeats])
  const again = await redrive(1000)
  expect(numbersOf(await waiting())).toEqual(Array.from({ length: 40 }, (_, number) => number))
  const byRedrive = moved[0] + moved[1] + again
  expect(byRedrive + moved.slice(2).filter(Boolean).length).toBe(40)
  expect(await jobsIn(pool, dead)).toEqual([])
})

test('a dead letter that did not come from a job (sent by hand) goes back nowhere and stays', async () => {
  const id = await makeJob(pool, dead, { state: 'completed' })
  const { rows } = await pool.query('select freshet.redrive_letter($1, $2) as id', [dead, id])
  expect(rows).toEqual([{ id: null }])
  expect(await jobsIn(pool, dead)).toMatchObject([{ id, state: 'completed' }])
})

test('a dead letter whose job was deleted goes back once, however many ask at once', async () => {
  const { id, letterId } = await makeFailure(pool, queue)
  await pool.query('delete from pgboss.job where id = $1', [id])
  const [first, second] = [await pool.connect(), await pool.connect()]
  const text = 'select freshet.redrive_letter($1, $2) as id'
  await first.query('begin')
  expect((await first.query<{ id: string }>(text, [dead, letterId])).rows[0]?.id).toMatch(/^[\da-f-]{36}$/)
  const asked = second.query(text, [dead, letterId])
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%redrive_letter%'"
  await until('the second waits', async () => (await pool.query(waits)).rowCount === 1)
  await first.query('commit')
  expect((await asked).rows).toEqual([{ id: null }])
  for (const client of [first, second]) client.release()
  expect(await waiting()).toHaveLength(1)
})

test('a dead letter that another redrive holds is passed over, not waited for', async () => {
  const held = await makeFailure(pool, queue, { payload: { number: 1 } })
  await makeFailure(pool, queue, { payload: { number: 2 } })
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from pgboss.job where id = $1 for update', [held.letterId])
  const client = await pool.connect()
  await client.query("set statement_timeout = '3s'")
  expect((await client.query('select freshet.redrive_queue($1, 10) as n', [queue])).rows).toEqual([{ n: 1 }])
  await holder.query('rollback')
  holder.release()
  client.release(true)
  expect(numbersOf(await waiting())).toEqual([2])
})

test('a dead letter whose job was deleted brings back its key, group and priority', async () => {
  const { id, letterId } = await makeFailure(pool, queue)
  await pool.query("update pgboss.job set singleton_key = 'a', group_id = 'b', priority = 7 where id = $1", [letterId])
  await pool.query('delete from pgboss.job where id = $1', [id])
  expect(await redrive(1)).toBe(1)
  const text = 'select singleton_key, group_id, priority from pgboss.job where name = $1'
  expect((await pool.query(text, [queue])).rows).toEqual([{ singleton_key: 'a', group_id: 'b', priority: 7 }])
})

test('a dead letter whose job was deleted stays where the queue takes one job a key and has one', async () => {
  await makeQueue(pool, queue, 'exclusive')
  const { id } = await makeFailure(pool, queue)
  await pool.query('delete from pgboss.job where id = $1', [id])
  await makeJob(pool, queue)
  expect(await redrive(10)).toBe(0)
  expect(await jobsIn(pool, dead)).toHaveLength(1)
})

test.each(['created', 'retry', 'active'])(
  'a job that is repeated leaves its dead letter alone while that is %s: its failure is still to be told',
  async (letter) => {
    const { id, letterId } = await makeFailure(pool, queue, { letter })
    expect(await repeat(id)).not.toBeNull()
    expect(await jobsIn(pool, dead)).toMatchObject([{ id: letterId, state: letter }])
  },
)

test.each([
  ['created', false],
  ['retry', false],
  ['active', false],
  ['completed', true],
  ['failed', true],
])('a dead letter that is %s can be dismissed: %s; before, its failure was not told', async (letter, isDismissed) => {
  const { letterId } = await makeFailure(pool, queue, { letter })
  const text = 'select freshet.stop_job($1, $2, null) as dismissed'
  expect((await pool.query(text, [dead, letterId])).rows).toEqual([{ dismissed: isDismissed }])
  expect(await jobsIn(pool, dead)).toMatchObject([{ state: isDismissed ? 'cancelled' : letter }])
})
