import { PgBoss } from 'pg-boss'
import { prepareQueues } from '../../src/jobs/kit/prepare.ts'
import { startWorkers } from '../../src/jobs/kit/workers.ts'
import { median, ratio } from '../load.ts'
import { trialJob, type Stand } from './stand.ts'

const rows = 20_000
const rounds = 3
const [batchSize, concurrency] = [100, 4]

/** 20,000 jobs that do nothing, until all are written down as done: the kit against pg-boss with the same options. */
export async function measureDrain(stand: Stand) {
  await prepareQueues(stand.services.pool, [trialJob('drained')])
  const rates: { own: number; floor: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const own = await drain(stand, () => startOwn(stand))
    const floor = await drain(stand, () => startPgBoss(stand))
    if (round > 0) rates.push({ own, floor })
  }
  const [own, floor] = [median(rates.map((rate) => rate.own)), median(rates.map((rate) => rate.floor))]
  console.log(
    `drain: ${own} jobs/s against ${floor} of pg-boss alone (batches of ${batchSize}, ${concurrency} at once)`,
  )
  return { drainVsPgboss: ratio(own, floor) }
}

async function drain({ services: { pool } }: Stand, start: () => Promise<AsyncDisposable>): Promise<number> {
  await pool.query("delete from pgboss.job where name = 'drained'")
  await pool.query('vacuum pgboss.job_common')
  const text = `select freshet.enqueue_jobs('drained', array(select jsonb_build_object('number', n) from generate_series(1, $1::int) n))`
  await pool.query(text, [rows])
  await pool.query('analyze pgboss.job_common') // or the planner takes the table for empty and both crawl
  const left = "select from pgboss.job where name = 'drained' and state <= 'active' limit 1"
  const started = performance.now()
  await using _workers = await start()
  while ((await pool.query(left)).rowCount) await new Promise((next) => setTimeout(next, 5))
  return Math.round((rows * 1000) / (performance.now() - started))
}

const startOwn = ({ services, log }: Stand) =>
  startWorkers({ services, log, jobs: [trialJob('drained', { batchSize, concurrency })] })

async function startPgBoss({ services: { directUrl } }: Stand): Promise<AsyncDisposable> {
  const boss = new PgBoss({
    connectionString: directUrl,
    max: 6,
    migrate: false,
    schedule: false,
    useListenNotify: true,
  })
  boss.on('error', () => {})
  await boss.start()
  const options = { batchSize, localConcurrency: concurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 2 }
  await boss.work('drained', { ...options, notifyPollingIntervalSeconds: 2 }, async () => {})
  return { [Symbol.asyncDispose]: () => boss.stop({ graceful: false }) }
}
