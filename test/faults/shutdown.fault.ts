import { expect, test } from 'vitest'
import { sendJob } from '../support/send-job.ts'
import { aJob } from '../jobs/trial-job.ts'
import { cloneDatabase } from '../support/database.ts'
import { openJobs } from '../support/jobs.ts'
import { until } from '../support/until.ts'
import { startWorkerProcess } from '../support/worker-process.ts'
import { report, seededRandom } from './seed.ts'

const hold = aJob('hold')

test('R7: SIGTERM with 20 active jobs: /readyz 503 at once, exit 0 within 30 s, all 20 back in the queue', async () => {
  await using database = await cloneDatabase()
  await using worker = startWorkerProcess(database.url, { FRESHET_SHUTDOWN_SECONDS: '25' })
  const url = await until('it answers', () => worker.url(), 60_000)
  for (let number = 1; number <= 20; number++) await sendJob(database.pool, hold, { number })
  await until('20 are at work', () => worker.said('holding') === 20, 30_000)

  const told = performance.now()
  worker.kill('SIGTERM')
  const notReady = await until('/readyz refuses', async () => {
    const answer = await fetch(`${url}/readyz`).catch((error: Error) => error)
    return answer instanceof Error || answer.status === 503 ? performance.now() - told : undefined
  })
  const { code } = await worker.ended
  const seconds = (performance.now() - told) / 1000
  const { rows } = await database.pool.query(
    'select state, retry_count, retry_limit, count(*)::int from pgboss.job where name = $1 group by 1, 2, 3',
    [hold.name],
  )
  report('R7', { notReadyMs: Math.round(notReady), exitSeconds: Number(seconds.toFixed(1)), code, handedBack: rows })
  expect(code).toBe(0)
  expect(notReady).toBeLessThan(1_000)
  expect(seconds).toBeGreaterThan(24)
  expect(seconds).toBeLessThan(30)
  expect(rows).toEqual([{ state: 'retry', retry_count: 0, retry_limit: 3, count: 20 }])
})

test('R7: a second SIGTERM ends the process at once', async () => {
  await using database = await cloneDatabase()
  await using worker = startWorkerProcess(database.url, { FRESHET_SHUTDOWN_SECONDS: '25' })
  await until('it answers', () => worker.url(), 60_000)
  await sendJob(database.pool, hold, { number: 1 })
  await until('it is at work', () => worker.said('holding') === 1, 30_000)
  worker.kill('SIGTERM')
  await until('it stops', () => worker.said('stopping') > 0)
  const again = performance.now()
  worker.kill('SIGTERM')
  expect(await worker.ended).toMatchObject({ signal: 'SIGTERM' })
  expect(performance.now() - again).toBeLessThan(1_000)
})

test('R7: 500 starts and stops at random moments lose no job, cost none an attempt and leave no connection', async () => {
  const random = seededRandom('R7 start and stop', 407)
  await using database = await cloneDatabase()
  const ended = new Map<number, number>()
  const attempts: number[] = []
  const job = aJob(
    'turbulent',
    async ({ payload, attempt, stopping }) => {
      attempts.push(attempt)
      for (let turn = 0; turn < payload.number % 7; turn++) {
        await new Promise((next) => setTimeout(next, 2))
        stopping.throwIfAborted()
      }
      ended.set(payload.number, (ended.get(payload.number) ?? 0) + 1)
    },
    { concurrency: 4 },
  )
  await using jobs = await openJobs(database, [job], { env: { FRESHET_SHUTDOWN_SECONDS: '1' } })
  const started = performance.now()
  for (let round = 1; round <= 500; round++) {
    for (let count = 0; count < 4; count++) await sendJob(jobs.pool, job, { number: round * 4 + count })
    await using _workers = await jobs.work()
    await new Promise((next) => setTimeout(next, random() * 60))
  }
  const seconds = (performance.now() - started) / 1000
  await jobs.drain(job, 120_000)
  const twice = [...ended.values()].filter((times) => times !== 1).length
  const text = "select from pg_stat_activity where datname = current_database() and application_name = 'freshet:queue'"
  const connections = await until('no connection is left', async () => (await database.pool.query(text)).rowCount === 0)
  report('R7', {
    starts: 500,
    seconds: Math.round(seconds),
    jobs: ended.size,
    twice,
    furthestAttempt: Math.max(...attempts),
  })
  expect({ ended: ended.size, twice, furthestAttempt: Math.max(...attempts), connections }).toEqual({
    ended: 2000,
    twice: 0,
    furthestAttempt: 1,
    connections: true,
  })
})
