import { Registry } from 'prom-client'
import { afterAll, expect, test } from 'vitest'
import { readMeasurements, type Measurement } from '../../src/domain/metrics/read-measurements.ts'
import { createDatabaseGauges } from '../../src/http/metrics/database.ts'
import { raise, resolve } from '../support/alerts.ts'
import { at } from '../support/moment.ts'
import { startTestApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { makeJob } from '../support/queue.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

/** The value of one series; undefined if it is not there. */
const value = (text: string, series: string) => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.split(' ')[1])
}
const registryOf = (read: () => Promise<Measurement[]>, options = {}) => {
  const registry = new Registry()
  createDatabaseGauges([registry], read, options)
  return registry
}

test('queues, runs and open alerts are counted as they stand', async () => {
  const now = new Date(Date.now() + 60_000)
  await pool.query("select freshet.enqueue('notify', '{}') from generate_series(1, 3)")
  await pool.query("select freshet.enqueue('notify', '{}', $1)", [new Date(now.getTime() + 1000)])
  await pool.query(
    "update pgboss.job set start_after = $1::timestamptz - interval '90 seconds' where id = (select id from pgboss.job where name = 'notify' and start_after < $1 limit 1)",
    [now],
  )
  await pool.query(
    "update pgboss.job set state = 'active', started_on = $1::timestamptz - interval '7 seconds' where id = (select id from pgboss.job where name = 'notify' order by start_after desc offset 1 limit 1)",
    [now],
  )
  await makeJob(pool, 'notify', { state: 'active', started_on: new Date(now.getTime() - 2_000) })
  const run = `insert into freshet.runs (kind, trigger, status, started_at, updated_at, finished_at, error_code)
    values ($1, 'SCHEDULED', $2, $3, $3, $4, $5)`
  const dayAgo = now.getTime() - 86_400_000
  await pool.query(run, ['FEED', 'RUNNING', new Date(0), null, null])
  await pool.query(run, ['FEED', 'SUCCEEDED', new Date(0), new Date(dayAgo + 1), null])
  await pool.query(run, ['FEED', 'SUCCEEDED', new Date(0), new Date(dayAgo), null])
  await pool.query(run, ['SWEEP', 'FAILED', new Date(0), now, 'X'])
  await raise(pool, { key: 'a', severity: 'P1' })
  await raise(pool, { key: 'b', severity: 'P2' })
  await resolve(pool, 'b', at(1))

  const text = await registryOf(() => readMeasurements(pool, now)).metrics()
  const jobs = (state: string) => value(text, `freshet_queue_jobs{queue="notify",state="${state}"}`)
  // Two of the three, and one for each of the two alerts.
  expect([jobs('waiting'), jobs('delayed'), jobs('active'), jobs('failed'), jobs('dead')]).toEqual([4, 1, 2, 0, 0])
  const age = (state: string) => value(text, `freshet_queue_oldest_job_age_seconds{queue="notify",state="${state}"}`)
  expect([age('waiting'), age('active')]).toEqual([90, 7])
  const runs = (kind: string, status: string) => value(text, `freshet_runs{kind="${kind}",status="${status}"}`)
  expect([runs('FEED', 'RUNNING'), runs('FEED', 'SUCCEEDED'), runs('FEED', 'FAILED')]).toEqual([1, 1, 0])
  expect([runs('SWEEP', 'FAILED'), runs('SNAPSHOT', 'RUNNING')]).toEqual([1, 0])
  const alerts = (severity: string) => value(text, `freshet_open_alerts{severity="${severity}"}`)
  expect([alerts('P1'), alerts('P2'), alerts('P3')]).toEqual([1, 0, 0])
  expect(value(text, 'freshet_database_up')).toBe(1)
})

test('however often somebody scrapes, the database is asked once in 5 s', async () => {
  let [asked, ms] = [0, 0]
  const read = async () => {
    asked++
    return [{ metric: 'open_alerts', first: 'P1', second: null, value: asked }]
  }
  const registry = registryOf(read, { now: () => ms })
  await Promise.all([registry.metrics(), registry.metrics()])
  ms = 4_999
  expect(value(await registry.metrics(), 'freshet_open_alerts{severity="P1"}')).toBe(1)
  ms = 5_000
  expect(value(await registry.metrics(), 'freshet_open_alerts{severity="P1"}')).toBe(2)
  expect(asked).toBe(2)
})

test('a database that fails, or does not answer, leaves its series out and fails no scrape', async () => {
  let ms = 0
  const answers = [
    async () => [{ metric: 'open_alerts', first: 'P1', second: null, value: 3 }],
    () => Promise.reject(new Error('the database is away')),
    () => new Promise<Measurement[]>(() => {}),
  ]
  const registry = registryOf(() => answers.shift()!(), { now: () => ms, patienceMs: 10 })
  const seen: (number | undefined)[][] = []
  for (; ms < 15_000; ms += 5_000) {
    const text = await registry.metrics()
    seen.push([value(text, 'freshet_database_up'), value(text, 'freshet_open_alerts{severity="P1"}')])
  }
  expect(seen).toEqual([
    [1, 3],
    [0, undefined],
    [0, undefined],
  ])
})

test('a worker tells how long its jobs took and how they ended, at /metrics', async () => {
  await using app = await startTestApp()
  await raise(app.pool)
  const text = await until('the job is counted', async () => {
    const now = await (await fetch(`${app.url}/metrics`)).text()
    return value(now, 'freshet_jobs_total{queue="notify",outcome="done"}') === 1 && now
  })
  expect(value(text, 'freshet_job_duration_seconds_count{queue="notify"}')).toBe(1)
  expect(value(text, 'freshet_job_duration_seconds_bucket{le="7200",queue="notify"}')).toBe(1)
})
