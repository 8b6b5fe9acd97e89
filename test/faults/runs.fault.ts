import { afterAll, expect, test } from 'vitest'
import { queryRows } from '../../src/db/sql.ts'
import type { RunContext } from '../../src/domain/runs/context.ts'
import { nothing, pidOf, runStand } from '../domain/runs/stand.ts'
import { cloneDatabase } from '../support/database.ts'
import { startMiddle } from '../support/middle.ts'
import { at } from '../support/moment.ts'
import { call, resultOf, startRun, storedRun } from '../support/runs.ts'
import { report, seededRandom } from './seed.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const { aRun, terminate, untilGone } = runStand(database)

const steps = 100
const ignore = async (write: Promise<unknown>) => write.catch((error: unknown) => error)

/** One of the hundred steps of a run: a stage, a statement for itself, or a transaction of several. */
async function step(run: RunContext, index: number): Promise<void> {
  const error = { code: index % 3 ? 'THIRD' : 'OTHER', message: `Step ${index}.`, line: index }
  if (index % 10 === 0) return run.stage(`STAGE_${index}`)
  if (index % 2) return run.progress({ rows: 1, bytes: index })
  return run.transaction(async () => {
    await run.progress({ rows: 1 })
    await run.sampleError(error)
  })
}

async function work(run: RunContext, before: (index: number) => Promise<unknown> = nothing): Promise<void> {
  for (let index = 0; index < steps; index++) {
    await before(index)
    await step(run, index)
  }
}

async function undisturbed() {
  const { tryRun, find } = aRun()
  await tryRun((run) => work(run))
  return resultOf(pool, (await find()) ?? '')
}

test('R3: the connection of a run is cut at 100 points', async () => {
  const random = seededRandom('R3', 3)
  const expected = await undisturbed()
  const figures = { points: 0, writtenAfterwards: 0, unequal: 0, slowestStartMs: 0 }
  for (let point = 0; point < steps; point++) {
    const { run, tryRun, find, stored } = aRun()
    const isInTheMiddle = random() < 0.5
    let cutAt = 0
    let pid: number | undefined
    const { promise: stubbornEnd, resolve: stubbornIsDone } = Promise.withResolvers<void>()
    const cut = tryRun(async (context) => {
      pid = await pidOf(context)
      await work(context, async (index) => {
        if (index !== point) return
        if (isInTheMiddle) void ignore(queryRows(context.sql, 'select pg_sleep(60)'))
        cutAt = performance.now()
        await terminate(pid)
      }).catch(nothing)
      // A handler that does not give up: it goes on writing on what it has.
      for (let index = 0; index < steps; index++) await ignore(step(context, index))
      stubbornIsDone()
    })
    await expect(cut).rejects.toMatchObject({ name: 'RunConnectionLost' })
    await untilGone(pid)
    const left = await stored()
    const other = aRun({ lock: run.lock })
    const outcome = await other.tryRun(async () => {
      figures.slowestStartMs = Math.max(figures.slowestStartMs, Math.round(performance.now() - cutAt))
    })
    expect(outcome).toBe('finished')
    await stubbornEnd
    if (JSON.stringify(await stored()) !== JSON.stringify(left)) figures.writtenAfterwards++
    expect(await tryRun((context) => work(context))).toBe('finished')
    if (JSON.stringify(await resultOf(pool, (await find()) ?? '')) !== JSON.stringify(expected)) figures.unequal++
    figures.points++
  }
  report('R3', figures)
  expect(figures).toMatchObject({ points: 100, writtenAfterwards: 0, unequal: 0 })
  expect(figures.slowestStartMs).toBeLessThan(5_000)
})

test('R4: the connection of a run dies silently: the run is told, and its retry at work, within 30 s', async () => {
  await using middle = await startMiddle(database.url)
  const cut = aRun({}, { directUrl: middle.url })
  let silentAt = 0
  const attempt = cut.tryRun(async (run) => {
    await run.progress({ rows: 1 })
    middle.fallSilent()
    silentAt = performance.now()
    await run.progress({ rows: 1 })
  })
  await expect(attempt).rejects.toMatchObject({ code: 'RUN_CONNECTION_LOST' })
  const retry = aRun({ jobId: cut.run.jobId, lock: cut.run.lock })
  let seconds = Infinity
  const outcome = await retry.tryRun(async (run) => {
    seconds = (performance.now() - silentAt) / 1_000
    await run.progress({ rows: 4 })
  })
  report('R4 on a run', { seconds: Math.round(seconds * 10) / 10 })
  expect(outcome).toBe('finished')
  expect(seconds).toBeLessThan(30)
  expect((await retry.stored()).run).toMatchObject({ status: 'SUCCEEDED', attempt: 2, counters: { rows: 4 } })
})

test('R6: an expired attempt goes on running beside its retry, 50 times', async () => {
  const random = seededRandom('R6', 6)
  const expected = await undisturbed()
  const figures = { times: 0, interleaved: 0, unequal: 0, fenced: 0 }
  for (let time = 0; time < 50; time++) {
    const { tryRun, find, stored } = aRun()
    const begin = Math.floor(random() * steps)
    const { promise: isExpired, resolve: expire } = Promise.withResolvers<void>()
    // It never comes to an end by itself.
    const stale = ignore(
      tryRun(async (context) => {
        for (;;) await work(context, async (index) => void (index === begin && expire()))
      }),
    )
    await isExpired
    expect(await tryRun((context) => work(context))).toBe('finished')
    const error = await stale
    if (error instanceof Error && (error.name === 'RunConnectionLost' || ('code' in error && error.code === 'FR021')))
      figures.fenced++
    const { events } = await stored()
    const restart = events.findIndex(({ kind }) => kind === 'RESTARTED')
    if (events.some(({ attempt }, index) => attempt !== (index < restart ? 1 : 2))) figures.interleaved++
    if (JSON.stringify(await resultOf(pool, (await find()) ?? '')) !== JSON.stringify(expected)) figures.unequal++
    figures.times++
  }
  report('R6', figures)
  expect(figures).toEqual({ times: 50, interleaved: 0, unequal: 0, fenced: 50 })
})

test('R6: two attempts that both have a connection, the later fences the earlier, 50 times', async () => {
  const random = seededRandom('R6 without an end of the connection', 66)
  const figures = { times: 0, interleaved: 0, fenced: 0 }
  for (let time = 0; time < 50; time++) {
    const { id, jobId } = await startRun(pool)
    const turns = Array.from({ length: 20 }, () => random())
    const write = async (attempt: number) => {
      for (const turn of turns) {
        const name = turn < 0.5 ? 'add_run_progress' : 'sample_run_error'
        await call(pool, name, id, attempt, ...(turn < 0.5 ? [{ rows: 1 }, at(turn)] : ['BAD', 'Bad.', at(turn)]))
      }
    }
    const endless = async () => {
      for (;;) await write(1)
    }
    const stale = ignore(endless())
    for (let index = 0; index < random() * 10; index++) await pool.query('select 1')
    const { attempt } = await startRun(pool, { jobId })
    await write(attempt)
    await call(pool, 'finish_run', id, attempt, at(9))
    for (const error of [await stale, await ignore(call(pool, 'set_run_stage', id, 1, 'LATE', at(9)))])
      expect(error).toMatchObject({ code: 'FR021' })
    figures.fenced++
    const { run, errors } = await storedRun(pool, id)
    const rows = turns.filter((turn) => turn < 0.5).length
    if (
      run.attempt !== 2 ||
      errors.length !== 20 - rows ||
      JSON.stringify(run.counters) !== JSON.stringify(rows ? { rows } : {})
    )
      figures.interleaved++
    figures.times++
  }
  report('R6 without an end of the connection', figures)
  expect(figures).toEqual({ times: 50, interleaved: 0, fenced: 50 })
})
