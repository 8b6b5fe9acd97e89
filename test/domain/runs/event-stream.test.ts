import { afterAll, expect, test } from 'vitest'
import { listen } from '../../../src/db/listen.ts'
import { connectPrisma } from '../../../src/db/prisma.ts'
import { startAlertBell } from '../../../src/domain/alerts/alert-bell.ts'
import { startEventHub } from '../../../src/domain/runs/event-hub.ts'
import { watchRun, watchRuns } from '../../../src/domain/runs/event-stream.ts'
import { eventsAtOnce, placeRunEvents } from '../../../src/domain/runs/event.ts'
import { createLog } from '../../../src/log.ts'
import { cloneDatabase } from '../../support/database.ts'
import { collectLines } from '../../support/lines.ts'
import { at } from '../../support/moment.ts'
import { call, startRun } from '../../support/runs.ts'
import { until } from '../../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const db = connectPrisma(pool)
const log = createLog({ level: 'debug', destination: collectLines().stream })

/** A hub on a connection of its own, a run, and the two streams that speak of it, each pulled at the test's pace. */
async function setup(maxBehind?: number) {
  await using starting = new AsyncDisposableStack()
  const listener = starting.use(await listen(database.url, log))
  const hub = starting.use(startEventHub({ listener, pool, log, ...(maxBehind ? { maxBehind } : {}) }))
  const left = new AbortController()
  starting.defer(() => left.abort())
  const watch = { hub, now: () => at(), signal: left.signal, db }
  const { id } = await startRun(pool)
  const ofRun = watchRun(watch, { id: BigInt(id) }, undefined)
  const ofAll = watchRuns(watch, {}, undefined)
  const next = async (stream: typeof ofRun | typeof ofAll) => {
    const { value } = await stream.next()
    return value && 'number' in value ? value.number : value?.type
  }
  const setStage = (stage: string) => call(pool, 'set_run_stage', id, 1, stage, at())
  expect([await next(ofRun), await next(ofAll)]).toEqual([1, 'StreamStart'])
  const firsts = [next(ofRun), next(ofAll)]
  await setStage('FIRST')
  expect(await Promise.all(firsts)).toEqual([2, 2])
  const stack = starting.move()
  return { id, hub, streams: [ofRun, ofAll], next, setStage, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('RULINGS 5: a subscriber who is left behind by more changes of stage than are kept for him gets them all', async () => {
  await using stand = await setup(3)
  let passed = 0
  using fast = stand.hub.join((event) => event.runId === BigInt(stand.id) && ++passed > 0)
  for (let stage = 1; stage <= 10; stage++) {
    await stand.setStage(`STAGE_${stage}`)
    await until('it is passed on', () => passed === stage)
    await fast.take(1_000)
  }
  for (const stream of stand.streams) {
    const numbers = []
    for (let count = 0; count < 10; count++) numbers.push(await stand.next(stream))
    expect(numbers).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  }
})

test('issue 4 §3: an event that was announced while nobody listened is delivered when the connection is back', async () => {
  await using stand = await setup()
  const waiting = stand.streams.map((stream) => stand.next(stream))
  // One transaction: what it announces is said when the listener is gone and cannot be back yet.
  await pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and application_name = 'freshet:listen';
     select freshet.set_run_stage(${stand.id}, 1, 'UNHEARD', now())`,
  )
  expect(await Promise.all(waiting)).toEqual([3, 3])
})

test('issue 4 §3: a quiet stream says every 15 s that it lives, where nothing else is asked for', async () => {
  await using listener = await listen(database.url, log)
  await using hub = startEventHub({ listener, pool, log })
  using bell = startAlertBell({ listener })
  expect([hub.keepAliveMs, bell.keepAliveMs]).toEqual([15_000, 15_000])
})

test('RULINGS 4: places are given page by page until every event has one', async () => {
  const { id } = await startRun(pool)
  const write = `select freshet.set_run_stage(${id}, 1, 'S' || n, now()) from generate_series(1, $1::int) n`
  await pool.query(write, [2 * eventsAtOnce])
  const last = await placeRunEvents(pool, [BigInt(id)])
  const text = 'select max(position)::text as last, count(*)::int as events from freshet.run_events where run_id = $1'
  const { rows } = await pool.query(`${text} and position is not null`, [id])
  expect(rows).toEqual([{ last: String(last), events: 2 * eventsAtOnce + 1 }])
})
