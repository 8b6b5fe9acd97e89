import { afterAll, expect, test } from 'vitest'
import { listen } from '../../../src/db/listen.ts'
import { connectPrisma } from '../../../src/db/prisma.ts'
import { startAlertBell } from '../../../src/domain/alerts/alert-bell.ts'
import { joinUntil, startEventHub } from '../../../src/domain/runs/event-hub.ts'
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
const { lines, stream: destination } = collectLines()
const log = createLog({ level: 'debug', destination })

/** A hub on a connection of its own, a run, and the two streams that speak of it, each pulled at the test's pace. */
async function setup({ maxBehind, keepAliveMs }: { maxBehind?: number; keepAliveMs?: number } = {}) {
  await using starting = new AsyncDisposableStack()
  const listener = starting.use(await listen(database.url, log))
  const hub = starting.use(
    await startEventHub({ listener, pool, log, keepAliveMs, ...(maxBehind ? { maxBehind } : {}) }),
  )
  const left = new AbortController()
  starting.defer(() => left.abort())
  const watch = { hub, pool, now: () => at(), signal: left.signal, db }
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
  const fast = starting.use(hub.join((event) => event.runId === BigInt(id)))
  /** Commits an event, and waits until all who watch were told. */
  const tellStage = async (stage: string) => {
    await setStage(stage)
    expect(await fast.take(5_000)).toMatchObject({ stage })
  }
  const stack = starting.move()
  return {
    id,
    hub,
    watch,
    listener,
    streams: [ofRun, ofAll],
    fast,
    next,
    setStage,
    tellStage,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Ends the connections that LISTEN. What `statement` announces is said when they are gone and cannot be back yet: it is one transaction. */
const cutListening = (statement: string) =>
  pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and application_name = 'freshet:listen';
     ${statement}`,
  )

/** Nobody is given a place until it is opened. */
async function holdPlacing() {
  const client = await pool.connect()
  await client.query('begin; select pg_advisory_xact_lock(4630, 0)')
  let isHeld = true
  const open = async () => {
    if (isHeld) await client.query('rollback')
    if (isHeld) client.release()
    isHeld = false
  }
  const waiting = "select from pg_locks where locktype = 'advisory' and classid = 4630 and not granted"
  return {
    untilWaiting: () => until('places are asked for', async () => (await pool.query(waiting)).rowCount === 1),
    open,
    [Symbol.asyncDispose]: open,
  }
}

test('RULINGS 5: a subscriber who is left behind by more changes of stage than are kept for him gets them all', async () => {
  await using stand = await setup({ maxBehind: 3 })
  for (let stage = 1; stage <= 10; stage++) await stand.tellStage(`STAGE_${stage}`)
  for (const stream of stand.streams) {
    const numbers = []
    for (let count = 0; count < 10; count++) numbers.push(await stand.next(stream))
    expect(numbers).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  }
})

test('issue 4 §3: an event that was announced while nobody listened is delivered when the connection is back', async () => {
  await using stand = await setup()
  const waiting = stand.streams.map((stream) => stand.next(stream))
  await cutListening(`select freshet.set_run_stage(${stand.id}, 1, 'UNHEARD', now())`)
  expect(await Promise.all(waiting)).toEqual([3, 3])
})

test('issue 4 §3: an event that commits while the state of its run is read comes behind that state', async () => {
  await using stand = await setup({ keepAliveMs: 200 })
  const late = db.$extends({
    query: {
      run: {
        async findUnique({ args, query }) {
          const run = await query(args)
          await stand.tellStage('MEANWHILE')
          return run
        },
      },
    },
  })
  const stream = watchRun({ ...stand.watch, db: late as unknown as typeof db }, { id: BigInt(stand.id) }, undefined)
  expect([await stand.next(stream), await stand.next(stream)]).toEqual([2, 3])
})

test('issue 4 §3: an event that comes between what was stored and what is live is delivered', async () => {
  await using stand = await setup({ keepAliveMs: 200 })
  const stream = watchRuns(stand.watch, {}, undefined)
  expect(await stand.next(stream)).toBe('StreamStart') // it has read what is stored and has not joined yet
  await stand.tellStage('BETWEEN')
  expect(await stand.next(stream)).toBe(3)
})

/** A stand whose hub is just asking for the place of an event, and does not get it until the gate is opened; and another run. */
async function setupAtGate() {
  await using starting = new AsyncDisposableStack()
  const stand = starting.use(await setup())
  const { id } = await startRun(pool)
  await stand.tellStage('BEFORE') // so the start of the other run is placed too
  const gate = starting.use(await holdPlacing())
  await stand.setStage('AT_THE_GATE')
  await gate.untilWaiting()
  const news = { heard: 0, gaps: 0 }
  starting.use(
    stand.listener.on(
      'freshet_run_events',
      () => void news.heard++,
      () => void news.gaps++,
    ),
  )
  await until('it is listened to', () => news.gaps === 1)
  const queue = starting.use(stand.hub.join((event) => event.runId === BigInt(id)))
  const stack = starting.move()
  return { id, gate, news, queue, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('issue 4 §3: what is announced while places are given gets its own in one more round', async () => {
  await using stand = await setupAtGate()
  await call(pool, 'set_run_stage', stand.id, 1, 'MEANWHILE', at())
  await until('it is heard', () => stand.news.heard === 1)
  await stand.gate.open()
  expect(await stand.queue.take(3_000)).toMatchObject({ stage: 'MEANWHILE' })
})

test('issue 4 §3: a gap in listening while places are given is followed by one more round, for all runs', async () => {
  await using stand = await setupAtGate()
  await cutListening(`select freshet.set_run_stage(${stand.id}, 1, 'UNHEARD', now())`)
  await until('it is listened to again', () => stand.news.gaps === 2)
  await stand.gate.open()
  expect(await stand.queue.take(3_000)).toMatchObject({ stage: 'UNHEARD' })
})

test('issue 4 §3: events that could not be placed are placed a second later, though nobody announces them again', async () => {
  await using stand = await setup()
  await pool.query('alter table freshet.event_stream rename to event_stream_away')
  await stand.setStage('UNPLACED')
  await until('it failed', () => lines.some((line) => line.includes('events of runs could not be read')))
  await pool.query('alter table freshet.event_stream_away rename to event_stream')
  expect(await stand.fast.take(5_000)).toMatchObject({ stage: 'UNPLACED' })
})

test('issue 4 §3: a quiet stream says every 15 s that it lives, where nothing else is asked for', async () => {
  await using listener = await listen(database.url, log)
  await using hub = await startEventHub({ listener, pool, log })
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

test('issue 4 §3: a hub passes on what is new, not all that is kept, also to who joins before its first look has ended', async () => {
  await startRun(pool)
  await placeRunEvents(pool, null)
  await using gate = await holdPlacing()
  await using listener = await listen(database.url, log)
  await using hub = await startEventHub({ listener, pool, log })
  await gate.untilWaiting()
  using queue = hub.join(() => true)
  await gate.open()
  const { id } = await startRun(pool)
  expect(await queue.take(5_000)).toMatchObject({ runId: BigInt(id) })
})

test('issue 4 §3: a hub that nobody watched for a while passes on what is new, not what was told meanwhile', async () => {
  await using stand = await setup()
  const { id } = await startRun(pool)
  await using listener = await listen(database.url, log)
  await using hub = await startEventHub({ listener, pool, log })
  await stand.tellStage('UNWATCHED')
  const placed = async () => (await pool.query('select from freshet.run_events where position is null')).rowCount === 0
  await until('all have their places', placed)
  await new Promise((resolve) => setTimeout(resolve, 200))
  using queue = hub.join(() => true)
  await call(pool, 'set_run_stage', id, 1, 'WATCHED', at())
  expect(await queue.take(5_000)).toMatchObject({ stage: 'WATCHED' })
})

test('whoever joins after he has left waits for nothing', async () => {
  await using listener = await listen(database.url, log)
  await using hub = await startEventHub({ listener, pool, log })
  using queue = joinUntil(AbortSignal.abort(), hub, () => true)
  expect(await queue.take(60_000)).toBe('over')
})
