import { prepareQueues } from '../../src/jobs/kit/prepare.ts'
import { median, ratio } from '../load.ts'
import { timed, trialJob, type Stand } from './stand.ts'

const rows = 10_000
const rounds = 7

const ours = `select freshet.enqueue_jobs('enqueued', array(select jsonb_build_object('number', n) from generate_series(1, $1::int) n))`
/** The same rows, every value written out by hand. */
const bare = `
  insert into pgboss.job (id, name, data, priority, start_after, created_on, expire_seconds, deletion_seconds, keep_until, retry_limit,
    retry_delay, retry_backoff, policy, dead_letter, heartbeat_seconds)
  select gen_random_uuid(), 'enqueued', jsonb_build_object('number', n), 0, now(), now(), 70, 259200, now() + interval '14 days', 2,
    0, false, 'standard', 'enqueued-dead', 10
  from generate_series(1, $1::int) n`

/** 10,000 jobs enqueued in SQL, against a bare INSERT … SELECT of the same rows. */
export async function measureEnqueue({ services: { pool } }: Stand) {
  await prepareQueues(pool, [trialJob('enqueued')])
  const times: { own: number; floor: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const own = await timed(() => pool.query(ours, [rows]))
    await pool.query("delete from pgboss.job where name = 'enqueued'")
    const floor = await timed(() => pool.query(bare, [rows]))
    await pool.query("delete from pgboss.job where name = 'enqueued'")
    await pool.query('vacuum pgboss.job_common')
    if (round > 0) times.push({ own, floor }) // the first warms up
  }
  const [own, floor] = [median(times.map((time) => time.own)), median(times.map((time) => time.floor))]
  console.log(`enqueue: ${rows} jobs in ${own.toFixed(0)} ms against ${floor.toFixed(0)} ms of the floor`)
  return { enqueueVsFloor: ratio(floor, own) }
}
