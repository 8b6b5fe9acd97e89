import pg from 'pg'
import { expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { faultsOf, proveExactlyOnce } from '../support/event-proof.ts'
import { startMiddle } from '../support/middle.ts'
import { at } from '../support/moment.ts'
import { call, startRun } from '../support/runs.ts'
import { runEvents, subscribe } from '../support/subscribe.ts'
import { until } from '../support/until.ts'
import { report, seededRandom } from './seed.ts'

const seed = Number(process.env.FRESHET_FAULT_SEED ?? 4)
const asApi = { env: { FRESHET_ROLE: 'api' } }
const longMs = 600_000

test('issue 4 §3: 50 writers with random commit order, a subscriber cut off at random 200 times', async () => {
  await using app = await startTestApp(asApi)
  const random = seededRandom('50 writers, 200 cuts', seed)
  const proof = await proveExactlyOnce(app, { writers: 50, eventsEach: 100, cuts: 200, random, deadlineMs: longMs })
  const faults = faultsOf(proof)
  report('exactly-once', { writers: 50, cuts: proof.cuts, ...faults })
  expect(faults).toEqual({ received: 5_000, lost: 0, twice: 0 })
  expect(proof.cuts).toBeGreaterThanOrEqual(200)
})

/** A transaction that has written and stays open. */
async function openWriter(url: string, write: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('begin')
  await write(client)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('commit')
      await client.end()
    },
  }
}

test('RULINGS 4: writing transactions open for 60 s, here and in another database: other events arrive within 1 s', async () => {
  await using app = await startTestApp(asApi)
  await using elsewhere = await cloneDatabase()
  const [held, foreign, run] = [await startRun(app.pool), await startRun(elsewhere.pool), await startRun(app.pool)]
  const watcher = subscribe(app.endpoint, await app.keyWith('OPERATE'), runEvents)
  await until('it begins', () => watcher.messages.length === 1)
  const setLong = (id: string) => (client: pg.Client) => call(client, 'set_run_stage', id, 1, 'long', at())
  let slowestMs = 0
  let count = 0
  {
    await using _here = await openWriter(app.database.url, setLong(held.id))
    await using _there = await openWriter(elsewhere.url, setLong(foreign.id))
    for (const end = performance.now() + 60_000; performance.now() < end; count++) {
      const started = performance.now()
      await call(app.pool, 'set_run_stage', run.id, 1, `stage ${count}`, at(count))
      await until('it arrives', () => watcher.messages.length === count + 2)
      slowestMs = Math.max(slowestMs, performance.now() - started)
    }
  }
  await until('the held one arrives too', () => watcher.messages.length === count + 2)
  watcher.leave()
  report('open-transaction', { seconds: 60, events: count, slowestMs: Math.round(slowestMs) })
  expect(slowestMs).toBeLessThan(1_000)
})

test('R4: a LISTEN connection that dies silently: resumed within 30 s, 10,000 events, none lost, none twice, in order', async () => {
  await using database = await cloneDatabase()
  await using middle = await startMiddle(database.url)
  await using app = await startTestApp({ ...asApi, database, directUrl: middle.url })
  const runs = await Promise.all(Array.from({ length: 10 }, () => startRun(database.pool)))
  const watcher = subscribe(app.endpoint, await app.keyWith('OPERATE'), runEvents)
  await until('it begins', () => watcher.messages.length === 1)
  const write = (from: number, to: number) =>
    Promise.all(
      runs.map(async ({ id }) => {
        for (let stage = from; stage < to; stage++)
          await call(database.pool, 'set_run_stage', id, 1, `${stage}`, at(stage))
      }),
    )
  await write(0, 500)
  await until('the first half arrives', () => watcher.messages.length >= 5_001, longMs)
  middle.fallSilent()
  const silentAt = performance.now()
  await write(500, 1_000)
  await until('it goes on', () => watcher.messages.length > 5_001, longMs)
  const resumedSeconds = (performance.now() - silentAt) / 1000
  await until('all arrive', () => watcher.messages.length >= 10_001, longMs)
  watcher.leave()
  const received = watcher.messages.slice(1).map(({ runId, number }) => `${String(runId)}:${String(number)}`)
  const runIds = [...new Set(watcher.messages.slice(1).map(({ runId }) => String(runId)))]
  const faults = faultsOf({ received, runIds, total: 10_000 })
  report('R4', { resumedSeconds: Math.round(resumedSeconds * 10) / 10, ...faults })
  expect(resumedSeconds).toBeLessThan(30)
  expect(faults).toEqual({ received: 10_000, lost: 0, twice: 0 })
})
