import type { PgCron, PgCronJob } from '../../db/pg-cron.ts'
import { ok, warn, type Finding } from './finding.ts'

const check = 'pg_cron'

/** Whether pg_cron calls the clock. That it cannot is no fault: a worker drives then. */
export function judgePgCron(found: PgCron & { job?: PgCronJob | undefined }): Finding {
  if ('reason' in found) return ok(check, `not used (${found.reason}): a worker drives the schedules`)
  const { home, job } = found
  if (!job)
    return warn(
      check,
      `it lives in the database ${home}, without a job for this one`,
      'Run "freshet migrate" as the owner.',
    )
  if (!job.isActive)
    return warn(check, `its job in the database ${home} is switched off`, 'Switch it on with cron.alter_job.')
  if (job.status === 'failed')
    return warn(
      check,
      `its last call failed: ${job.message ?? 'no reason is given'}`,
      'If it cannot connect, set cron.use_background_workers = on; else mend what the message says.',
    )
  return ok(check, `it calls the clock every minute, from the database ${home}`)
}
