import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { call, startRun, storedRun } from '../../support/runs.ts'
import { until } from '../../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

test('issue 4 §3: events written at once by many are numbered without a gap, in commit order', async () => {
  const { id } = await startRun(pool)
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let turn = 0; turn < 10; turn++) {
      const client = await pool.connect()
      await client.query('begin')
      await call(client, 'set_run_stage', id, 1, `${writer}-${turn}`, at(turn))
      await client.query((writer + turn) % 3 === 0 ? 'rollback' : 'commit')
      client.release()
    }
  })
  await Promise.all(writers)
  const { run, events } = await storedRun(pool, id)
  expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1))
  expect(events).toHaveLength(1 + 80 - 27)
  expect(run).toMatchObject({ event_count: events.length, stage: events.at(-1)?.stage })
})

test('each event names its run to those who listen, when it is committed', async () => {
  const { id } = await startRun(pool)
  const listener = await pool.connect()
  const heard: (string | undefined)[] = []
  listener.on('notification', ({ payload }) => heard.push(payload))
  await listener.query('listen freshet_run_events')
  const writer = await pool.connect()
  await writer.query('begin')
  await call(writer, 'set_run_stage', id, 1, 'UNDONE', at(1))
  await writer.query('rollback')
  writer.release()
  await call(pool, 'set_run_stage', id, 1, 'DONE', at(2))
  await until('it is heard', () => heard.length > 0)
  listener.release(true)
  expect(heard).toEqual([id])
})

test.each([
  ['kind', "kind = 'FAILED'"],
  ['stage', "stage = 'X'"],
  ['counters', `counters = '{"rows": 1}'`],
  ['time', 'at = now()'],
  ['kind, beside a first position', "kind = 'FAILED', position = 1000"],
])('an event keeps its %s', async (_what, change) => {
  const { id } = await startRun(pool)
  const before = await storedRun(pool, id)
  const update = pool.query(`update freshet.run_events set ${change} where run_id = $1`, [id])
  await expect(update).rejects.toMatchObject({ code: 'FR001', message: 'The events of a run are append-only.' })
  expect(await storedRun(pool, id)).toEqual(before)
})

test('RULINGS 4: an event gets its position once and keeps it', async () => {
  const { id } = await startRun(pool)
  const place = (position: number | null) =>
    pool.query('update freshet.run_events set position = $2 where run_id = $1', [id, position])
  await place(5_000)
  for (const position of [5_001, null]) await expect(place(position)).rejects.toMatchObject({ code: 'FR001' })
  expect((await storedRun(pool, id)).events).toMatchObject([{ position: '5000' }])
})

test('the events of a run that is RUNNING cannot be deleted, those of one that has ended can be pruned', async () => {
  const { id } = await startRun(pool)
  const prune = () => pool.query('delete from freshet.run_events where run_id = $1', [id])
  await expect(prune()).rejects.toMatchObject({ code: 'FR001' })
  await call(pool, 'finish_run', id, 1, at(1))
  expect((await prune()).rowCount).toBe(2)
})
