import { afterAll, expect, test } from 'vitest'
import pg from 'pg'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import type { Queryable } from '../../support/rows.ts'
import { call, startRun } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

type Placed = { last_position: string; placed: number }

async function place(runIds: string[] | null = null, maxRows = 1000, on: Queryable = pool) {
  const { rows } = await on.query<Placed>('select * from freshet.place_run_events($1, $2)', [runIds, maxRows])
  return [Number(rows[0]!.last_position), rows[0]!.placed]
}
const placesOf = async (runId: string) => {
  const sql = 'select position from freshet.run_events where run_id = $1 order by number'
  return (await pool.query<{ position: string | null }>(sql, [runId])).rows.map(({ position }) =>
    position === null ? null : Number(position),
  )
}

/** A run with so many events in all, none of which has its place; `last` is the last place that was given before. */
async function setup(events = 1) {
  const [last] = await place()
  const { id } = await startRun(pool)
  for (let stage = 2; stage <= events; stage++) await call(pool, 'set_run_stage', id, 1, `stage ${stage}`, at())
  return { id, last: last! }
}

test('RULINGS 4: committed events get the next places in the order of their numbers, and keep them', async () => {
  const { id, last } = await setup(3)
  expect(await place()).toEqual([last + 3, 3])
  expect(await placesOf(id)).toEqual([last + 1, last + 2, last + 3])
  expect(await place()).toEqual([last + 3, 0])
  await call(pool, 'finish_run', id, 1, at(1))
  expect(await place()).toEqual([last + 4, 1])
  expect(await placesOf(id)).toEqual([last + 1, last + 2, last + 3, last + 4])
})

test('only the runs that are named get places; null stands for all', async () => {
  const [one, two] = [await setup(2), await startRun(pool)]
  expect(await place([two.id])).toEqual([one.last + 1, 1])
  expect(await placesOf(one.id)).toEqual([null, null])
  expect(await place([])).toEqual([one.last + 1, 0])
  expect(await place()).toEqual([one.last + 3, 2])
})

test('at most so many get places at once, the first ones of a run first', async () => {
  const { id, last } = await setup(3)
  expect(await place(null, 2)).toEqual([last + 2, 2])
  expect(await placesOf(id)).toEqual([last + 1, last + 2, null])
  expect(await place(null, 2)).toEqual([last + 3, 1])
})

/** A transaction that has written an event and stays open. */
async function openWriter(run: { id: string }) {
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query('begin')
  await call(client, 'set_run_stage', run.id, 1, 'long', at())
  return {
    async commit() {
      await client.query('commit')
      await client.end()
    },
  }
}

test('RULINGS 4: an event whose transaction is still open gets its place after it commits, behind those placed meanwhile', async () => {
  const { id, last } = await setup()
  await place()
  const writer = await openWriter({ id })
  const other = await startRun(pool)
  expect(await place()).toEqual([last + 2, 1])
  await call(pool, 'finish_run', other.id, 1, at(1))
  expect(await place()).toEqual([last + 3, 1])
  await writer.commit()
  expect(await place()).toEqual([last + 4, 1])
  expect([await placesOf(id), await placesOf(other.id)]).toEqual([
    [last + 1, last + 4],
    [last + 2, last + 3],
  ])
})

test('two at once give no place twice: the second waits for the first to commit', async () => {
  const { id, last } = await setup(2)
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query('begin')
  expect(await place(null, 1, client)).toEqual([last + 1, 1])
  const second = place()
  await client.query('commit')
  await client.end()
  expect(await second).toEqual([last + 2, 1])
  expect(await placesOf(id)).toEqual([last + 1, last + 2])
})

test('a place that was given back leaves no gap', async () => {
  const { id, last } = await setup()
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query('begin')
  await place(null, 1, client)
  await client.query('rollback')
  await client.end()
  expect(await place()).toEqual([last + 1, 1])
  expect(await placesOf(id)).toEqual([last + 1])
})

test('RULINGS 4: a beat of the clock gives their places to events that nobody heard of', async () => {
  const { id, last } = await setup(2)
  await pool.query("select freshet.tick('worker', '15 seconds', now())")
  expect(await placesOf(id)).toEqual([last + 1, last + 2])
})
