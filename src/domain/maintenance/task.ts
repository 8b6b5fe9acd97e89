import { z } from 'zod'

/** What maintenance does, by the names that schedules use in their payload. */
export const MaintenanceTask = z.enum([
  'reap-runs',
  'prune-run-events',
  'prune-run-errors',
  'prune-schedule-runs',
  'prune-cron-history',
  'prune-audit-log',
  'prune-alerts',
])
export type MaintenanceTask = z.output<typeof MaintenanceTask>

/** One call touches at most `maxRows` rows; it is repeated until a call touches fewer. */
export type Batches = { statement: string; keep: string; maxRows: number }

const prune = (name: string, keep: string, maxRows = 5_000): Batches => ({
  statement: `select freshet.${name}($1::interval, $2, $3) as rows`,
  keep,
  maxRows,
})

/** How a task is done; nothing where its setting says that it is not wanted. */
export function batchesOf(task: MaintenanceTask, { auditKeepDays }: { auditKeepDays: number }): Batches | undefined {
  if (task === 'prune-audit-log')
    return auditKeepDays === 0 ? undefined : prune('prune_audit_log', `${auditKeepDays} days`)
  return always[task]
}

const always: Record<Exclude<MaintenanceTask, 'prune-audit-log'>, Batches> = {
  'reap-runs': {
    statement: 'select freshet.reap_runs($2, $1::interval, $3) as rows',
    keep: '30 minutes',
    maxRows: 100,
  },
  'prune-run-events': prune('prune_run_events', '30 days'),
  'prune-run-errors': prune('prune_run_errors', '30 days'),
  'prune-schedule-runs': prune('prune_schedule_runs', '30 days'),
  'prune-cron-history': prune('prune_cron_history', '7 days'),
  'prune-alerts': prune('prune_alerts', '90 days', 1_000),
}
