import type { Queryable } from './rows.ts'
import { startRun, type Start, type StartedRun } from './runs.ts'

const settings = {
  policy: 'standard',
  retryLimit: 2,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: 70,
  heartbeatSeconds: 10,
  retentionSeconds: 1_209_600,
  deleteAfterSeconds: 259_200,
  notify: true,
}

/** A queue that nobody works, with its dead letter queue. */
export async function makeQueue(db: Queryable, name: string, policy = 'standard'): Promise<void> {
  const prepare = 'select freshet.prepare_queue($1, $2)'
  await db.query(prepare, [`${name}-dead`, JSON.stringify(settings)])
  await db.query(prepare, [name, JSON.stringify({ ...settings, policy, deadLetter: `${name}-dead` })])
}

/** Puts a job into a queue and answers its id; further columns are written as they are. */
export async function makeJob(
  db: Queryable,
  queue: string,
  columns: Record<string, unknown> = {},
  payload: object = {},
): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select freshet.enqueue($1, $2) as id', [
    queue,
    JSON.stringify(payload),
  ])
  const id = rows[0]!.id
  const names = Object.keys(columns)
  if (names.length > 0) {
    const set = names.map((column, index) => `${column} = $${index + 3}`).join(', ')
    await db.query(`update pgboss.job set ${set} where name = $1 and id = $2`, [queue, id, ...Object.values(columns)])
  }
  return id
}

/** A job that failed for good, and the dead letter that tells of it, as pg-boss and the kit leave them. */
export async function makeFailure(
  db: Queryable,
  queue: string,
  { payload = {}, letter = 'completed', at = new Date() }: { payload?: object; letter?: string; at?: Date } = {},
): Promise<{ id: string; letterId: string }> {
  const output = { code: 'FEED_GONE', message: 'The file is gone.', hint: 'Ask the network.', attempts: 3 }
  const common = { created_on: at, completed_on: at }
  const id = await makeJob(db, queue, { ...common, state: 'failed', retry_count: 2, started_on: at, output }, payload)
  const source = { source_name: queue, source_id: id, source_root_id: id, source_output: output }
  const letterId = await makeJob(db, `${queue}-dead`, { ...common, state: letter, ...source }, payload)
  return { id, letterId }
}

/** The jobs of a queue, oldest first. */
export async function jobsIn(db: Queryable, queue: string) {
  const { rows } = await db.query<{ id: string; state: string; data: unknown; output: unknown }>(
    'select id, state::text, data, output from pgboss.job where name = $1 order by created_on, id',
    [queue],
  )
  return rows
}

/** Starts the run of a job as if it were at work, and leaves the job in the state that it has. */
export async function startRunOf(db: Queryable, jobId: string, given: Start = {}): Promise<StartedRun> {
  const { rows } = await db.query<{ state: string }>('select state::text from pgboss.job where id = $1', [jobId])
  const turn = 'update pgboss.job set state = $2 where id = $1'
  await db.query(turn, [jobId, 'active'])
  const started = await startRun(db, { ...given, jobId })
  await db.query(turn, [jobId, rows[0]?.state])
  return started
}
