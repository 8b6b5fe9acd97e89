import { z } from 'zod'
import { prunePgCronHistory } from '../../db/pg-cron.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { reapRuns } from '../runs/reap-runs.ts'

/** How much one call may take: what is older than `keep`, at most `maxRows` rows. */
export type Batch = { keep: string; now: Date; maxRows: number }

export type TaskSettings = { auditKeepDays: number }
export type TaskServices = { sql: Sql; directUrl: string; log: Log }

/** A task of maintenance. Its call touches at most `maxRows` rows and is repeated until one touches fewer. */
export type Task = {
  maxRows: number
  /** What is younger than this is left alone; nothing where a setting says that the task is not wanted. */
  keep: (settings: TaskSettings) => string | undefined
  /** Answers how many rows it touched. */
  run: (batch: Batch, services: TaskServices) => Promise<number>
}

const always = (keep: string) => () => keep

const call =
  (name: string): Task['run'] =>
  async ({ keep, now, maxRows }, { sql }) => {
    const statement = `select freshet.${name}($1::interval, $2, $3) as rows`
    const [batch] = await queryRows<{ rows: number }>(sql, statement, [keep, now, maxRows])
    return batch?.rows ?? 0
  }

/** What maintenance does, by the names that schedules use in their payload. */
export const tasks = {
  'reap-runs': { maxRows: 100, keep: always('30 minutes'), run: reapRuns },
  'prune-run-events': { maxRows: 5_000, keep: always('30 days'), run: call('prune_run_events') },
  'prune-run-errors': { maxRows: 5_000, keep: always('30 days'), run: call('prune_run_errors') },
  'prune-schedule-runs': { maxRows: 5_000, keep: always('30 days'), run: call('prune_schedule_runs') },
  'prune-alerts': { maxRows: 1_000, keep: always('90 days'), run: call('prune_alerts') },
  'prune-audit-log': {
    maxRows: 5_000,
    keep: ({ auditKeepDays }) => (auditKeepDays === 0 ? undefined : `${auditKeepDays} days`),
    run: call('prune_audit_log'),
  },
  // It looks at every feed, whatever age.
  'warn-expiring-offers': { maxRows: 10_000, keep: always('0 hours'), run: call('warn_expiring_offers') },
  'shelve-expired-offers': { maxRows: 5_000, keep: always('14 days'), run: call('shelve_expired_offers') },
  'prune-feed-runs': { maxRows: 200, keep: always('30 days'), run: call('prune_feed_runs') },
  'prune-cron-history': {
    maxRows: 5_000,
    keep: always('7 days'),
    // pg_cron lives in this database or in another one: where it does not, there is nothing to find.
    run: async (batch, services) =>
      (await call('prune_cron_history')(batch, services)) + (await prunePgCronHistory(services.directUrl, batch)),
  },
} satisfies Record<string, Task>

export type MaintenanceTask = keyof typeof tasks
export const MaintenanceTask = z.enum(Object.keys(tasks) as MaintenanceTask[])
