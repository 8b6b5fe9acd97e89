import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { at } from './moment.ts'
import type { Queryable } from './rows.ts'

/** Counters of which there are none; `{}` alone would match any, inside `toMatchObject`. */
export const noCounters: unknown = expect.toSatisfy((counters: object) => Object.keys(counters).length === 0)

export type StartedRun = { id: string; jobId: string; status: string; attempt: number }

export type Start = {
  jobId?: string | null
  kind?: string
  trigger?: string
  sourceId?: string | null
  lock?: [number, number] | null
  now?: Date
}

/** Lets the job be at work in a queue that no test counts, if it is in none yet: no other job can start a run. */
export async function putToWork(db: Queryable, jobId: string): Promise<void> {
  await db.query(
    `insert into pgboss.job (id, name, state) select $1, 'feed-test', 'active'
     where not exists (select from pgboss.job where id = $1) on conflict do nothing`,
    [jobId],
  )
}

/** Starts a run, or the next attempt of the job's run, through the SQL function. */
export async function startRun(db: Queryable, given: Start = {}): Promise<StartedRun> {
  const { jobId = randomUUID(), kind = 'FEED', trigger = 'SCHEDULED', sourceId = null, lock = null, now = at() } = given
  if (jobId !== null) await putToWork(db, jobId)
  const { rows } = await db.query<Omit<StartedRun, 'jobId'>>(
    'select run_id as id, status, attempt from freshet.start_run($1, $2, $3, $4, $5, $6, $7)',
    [jobId, kind, trigger, sourceId, lock?.[0] ?? null, lock?.[1] ?? null, now],
  )
  if (!rows[0]) throw new Error('start_run returned no row.')
  return { ...rows[0], jobId: jobId ?? '' }
}

/** Calls a function of runs and answers its value. */
export async function call(db: Queryable, name: string, ...values: unknown[]): Promise<unknown> {
  const places = values.map((_, index) => `$${index + 1}`).join(', ')
  return (await db.query<{ value: unknown }>(`select freshet.${name}(${places}) as value`, values)).rows[0]?.value
}

/** Everything that is stored of a run, with its events, errors and totals. */
export async function storedRun(db: Queryable, id: string) {
  const one = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await db.query<Record<string, unknown>>(sql, [id])).rows
  const [run] = await one('select * from freshet.runs where id = $1')
  if (!run) throw new Error(`There is no run ${id}.`)
  return {
    run,
    events: await one('select * from freshet.run_events where run_id = $1 order by number'),
    errors: await one('select * from freshet.run_errors where run_id = $1 order by id'),
    totals: await one('select code, total from freshet.run_error_totals where run_id = $1 order by code'),
  }
}

/** What a run's end leaves that must not depend on how many attempts it took: no ids, times, attempts or events. */
export async function resultOf(db: Queryable, id: string) {
  const { run, errors, totals } = await storedRun(db, id)
  const { kind, trigger, status, stage, counters, error_count, is_counted, error_code, error_message, error_hint } = run
  return {
    run: { kind, trigger, status, stage, counters, error_count, is_counted, error_code, error_message, error_hint },
    errors: errors.map(({ line, code, message, item, details }) => ({ line, code, message, item, details })),
    totals,
  }
}
