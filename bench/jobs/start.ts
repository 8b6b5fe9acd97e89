import pg from 'pg'
import { sendJob } from '../../test/support/send-job.ts'
import { prepareQueues } from '../../src/jobs/kit/prepare.ts'
import { startWorkers } from '../../src/jobs/kit/workers.ts'
import { ratio } from '../load.ts'
import { percentile, trialJob, type Stand } from './stand.ts'

const samples = 200

/** From the enqueueing call to the handler of an idle worker, against a bare insert, NOTIFY and claim of one row. */
export async function measureStart(stand: Stand) {
  const own = await startTimes(stand)
  const floor = await bareTimes(stand)
  const [ownP95, floorP95] = [percentile(own, 0.95), percentile(floor, 0.95)]
  console.log(
    `start: p50 ${percentile(own, 0.5).toFixed(2)} ms, p95 ${ownP95.toFixed(2)} ms; bare NOTIFY and claim: p50 ${percentile(floor, 0.5).toFixed(2)} ms, p95 ${floorP95.toFixed(2)} ms`,
  )
  return { startP95Ms: Number(ownP95.toFixed(2)), startVsNotify: ratio(ownP95, floorP95) }
}

async function startTimes({ services, log }: Stand): Promise<number[]> {
  let begun = Promise.withResolvers<number>()
  let ended = Promise.withResolvers<void>()
  const job = trialJob('started', {}, async () => begun.resolve(performance.now()))
  await prepareQueues(services.pool, [job])
  await using _workers = await startWorkers({ services, log, jobs: [job], observe: () => ended.resolve() })
  const times: number[] = []
  for (let count = 0; count < samples; count++) {
    begun = Promise.withResolvers()
    ended = Promise.withResolvers()
    const sent = performance.now()
    await sendJob(services.pool, job, { number: count })
    times.push((await begun.promise) - sent)
    await ended.promise
    await settled(services.pool)
  }
  return times
}

/** The worker idles again when its job is written down as done. */
async function settled(pool: pg.Pool) {
  const text = "select from pgboss.job where name = 'started' and state <= 'active'"
  while ((await pool.query({ name: 'settled', text })).rowCount) await new Promise(setImmediate)
}

async function bareTimes({ services: { pool, directUrl } }: Stand): Promise<number[]> {
  await pool.query('create table bare_job (id bigint generated always as identity primary key, state text, data jsonb)')
  await pool.query("create index on bare_job (id) where state = 'created'")
  const worker = new pg.Client(directUrl)
  await worker.connect()
  await worker.query('listen bare_job')
  const claim = {
    name: 'claim',
    text: `update bare_job set state = 'active' where id = (select id from bare_job where state = 'created' order by id limit 1 for update skip locked) returning *`,
  }
  const send = {
    name: 'send',
    text: `with one as (insert into bare_job (state, data) values ('created', $1) returning id) select pg_notify('bare_job', '') from one`,
  }
  let begun = Promise.withResolvers<number>()
  worker.on('notification', () => void worker.query(claim).then(() => begun.resolve(performance.now())))
  const times: number[] = []
  for (let count = 0; count < samples; count++) {
    begun = Promise.withResolvers()
    const sent = performance.now()
    await pool.query({ ...send, values: [{ number: count }] })
    times.push((await begun.promise) - sent)
  }
  await worker.end()
  return times
}
