import { setTimeout as wait } from 'node:timers/promises'
import { connectPool, endPool, type Pool } from '../../db/pool.ts'
import { queryRows } from '../../db/sql.ts'
import { reapRuns } from '../../domain/runs/reap-runs.ts'
import { createLog } from '../../log.ts'
import { CommandError } from '../error.ts'
import type { Demo } from './steps.ts'

const log = createLog({ level: 'silent' })
const source = 'Harbour Books pages'
const staleMs = 3_600_000
const patienceMs = 20_000
const pollMs = 50

/** A run whose worker died an hour ago: the reaper ends it and raises its alert, as it would by itself at its next turn. */
export async function loseRun(demo: Demo): Promise<string> {
  const kind = 'RUN_REAPED'
  const { alerts } = await demo.ask<{ alerts: { totalCount: number } }>(
    'query FindAlert($kind: String!) { alerts(first: 1, filter: { kind: $kind }) { totalCount } }',
    { kind },
  )
  if (alerts.totalCount === 0) {
    await withPool(demo, async (pool) => {
      const now = new Date()
      const begun = new Date(now.getTime() - staleMs)
      const start =
        "select run_id from freshet.start_run(null, 'SCRAPE', 'SCHEDULED', (select id from freshet.sources where name = $1), null, null, $2)"
      await queryRows(pool, start, [source, begun])
      await reapRuns({ keep: '30 minutes', now, maxRows: 100 }, { sql: pool, directUrl: demo.directUrl, log })
    })
  }
  return `an alert: a run of "${source}" that lost its worker; in GraphiQL: "Alerts: what should be looked at"`
}

/** A job with a payload that no queue takes, as a newer version may have left it: it fails for good and leaves a dead letter. */
export async function failJob(demo: Demo): Promise<string> {
  const { jobs } = await demo.ask<{ jobs: { nodes: unknown[] } }>(
    'query FindJob { jobs(first: 1, filter: { queue: "maintenance", state: FAILED }) { nodes { id } } }',
  )
  if (jobs.nodes.length === 0) {
    demo.tell('letting a job fail, to have one to look at: an error that is logged now is meant')
    await withPool(demo, async (pool) => {
      const enqueue = "select freshet.enqueue('maintenance', $1, p_singleton_key => 'demo')"
      await queryRows(pool, enqueue, [JSON.stringify({ task: 'prune-listings' })])
      await untilTold(pool)
    })
  }
  return 'a job that failed for good, and its dead letter; in GraphiQL: "Queues: list the queues", "list failed jobs"'
}

/** Before that, a server that stops would leave the rest to its next start. */
async function untilTold(pool: Pool): Promise<void> {
  const deadline = performance.now() + patienceMs
  const told = "select 1 as told from pgboss.job where name = 'maintenance-dead' and state = 'completed' limit 1"
  while ((await queryRows(pool, told)).length === 0) {
    if (performance.now() > deadline) throw new CommandError('DEMO_FAILED', 'The job that is to fail was not worked.')
    await wait(pollMs)
  }
}

async function withPool({ directUrl }: Demo, work: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = connectPool(directUrl, { size: 1, log })
  try {
    await work(pool)
  } finally {
    await endPool(pool)
  }
}
