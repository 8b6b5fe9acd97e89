import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendJob } from '../support/send-job.ts'
import { aJob } from '../jobs/trial-job.ts'
import { cloneDatabase } from '../support/database.ts'
import { openJobs } from '../support/jobs.ts'
import { until } from '../support/until.ts'
import { startWorkerProcess } from '../support/worker-process.ts'
import { report } from './seed.ts'

const count = 1_000

/** Jobs a second of a queue whose jobs wait 20 ms, five at once, with a poisonous queue beside it or none. */
async function errandRate(poison: ReturnType<typeof aJob>[]): Promise<number> {
  await using database = await cloneDatabase()
  let done = 0
  const errand = aJob(
    'errand',
    async () => {
      await pause(20)
      done++
    },
    { concurrency: 5 },
  )
  await using jobs = await openJobs(database, [errand, ...poison], { env: { FRESHET_SHUTDOWN_SECONDS: '1' } })
  await using _workers = await jobs.work()
  for (const job of poison) for (let number = 1; number <= 3; number++) await sendJob(jobs.pool, job, { number })
  const text = `select freshet.enqueue_jobs('errand', array(select jsonb_build_object('number', n) from generate_series(1, $1::int) n))`
  await jobs.pool.query(text, [count])
  const started = performance.now()
  await until('all errands are done', () => pause(5).then(() => done === count), 120_000)
  return (count * 1000) / (performance.now() - started)
}

const poisons = {
  throws: aJob('throwing', async () => Promise.reject(new Error('poison')), { retryDelays: [0, 0] }),
  hangs: aJob('hanging', async () => new Promise(() => {}), { concurrency: 3 }),
  'eats memory': aJob('hungry', async ({ signal }) => {
    const eaten: Buffer[] = []
    // 20 MB/s until it is cut off: what it eats is memory, not the processor.
    while (!signal.aborted) {
      eaten.push(Buffer.alloc(1_000_000, eaten.length))
      await pause(50)
    }
  }),
}

test.each(Object.keys(poisons) as (keyof typeof poisons)[])(
  'R17: beside a job that %s others keep their rate within a tenth',
  async (what) => {
    const rates: { alone: number; beside: number }[] = []
    for (let round = 0; round < 5; round++)
      rates.push({ alone: await errandRate([]), beside: await errandRate([poisons[what]]) })
    const best = (which: 'alone' | 'beside') => Math.round(Math.max(...rates.map((rate) => rate[which])))
    const share = Number((best('beside') / best('alone')).toFixed(2))
    report('R17', { poison: what, alone: best('alone'), beside: best('beside'), share })
    expect(share).toBeGreaterThan(0.9)
  },
)

test('R17: a job that kills its process three times ends as a dead letter; jobs beside it are all done', async () => {
  await using database = await cloneDatabase()
  const [poison, errand] = [aJob('poison'), aJob('errand')]
  await using first = startWorkerProcess(database.url)
  await until('it answers', () => first.url(), 60_000)
  const id = await sendJob(database.pool, poison, { number: 1 })
  for (let number = 1; number <= 100; number++) await sendJob(database.pool, errand, { number })
  const started = performance.now()
  let worker = first
  await using restarted = new AsyncDisposableStack()
  let deaths = 0
  const left = async () => {
    const text = "select from pgboss.job where name in ('poison', 'poison-dead', 'errand') and state <= 'active'"
    return (await database.pool.query(text)).rowCount
  }
  while ((await left()) && deaths < 5) {
    const death = await Promise.race([worker.ended, pause(200)])
    if (!death) continue
    deaths++
    worker = restarted.use(startWorkerProcess(database.url)) // as an orchestrator does
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  const { rows } = await database.pool.query<{ name: string; state: string; count: number }>(
    "select name, state, count(*)::int from pgboss.job where name in ('poison', 'poison-dead', 'errand') group by 1, 2 order by 1",
  )
  report('R17', { poison: 'kills its process', deaths, seconds, rows })
  expect(deaths).toBe(3)
  expect(rows).toEqual([
    { name: 'errand', state: 'completed', count: 100 },
    { name: 'poison', state: 'failed', count: 1 },
    { name: 'poison-dead', state: 'completed', count: 1 },
  ])
  const dead = await database.pool.query("select source_id, output from pgboss.job where name = 'poison-dead'")
  expect(dead.rows).toMatchObject([{ source_id: id, output: { told: { code: 'WORKER_LOST' } } }])
})
