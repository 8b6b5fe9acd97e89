import { z } from 'zod'
import { runTask } from '../domain/maintenance/run-task.ts'
import { MaintenanceTask, tasks } from '../domain/maintenance/task.ts'
import { scheduled } from '../domain/schedules/scheduled.ts'
import { defineJob } from './kit.ts'

/** Keeps the database small and runs ended, a task a job. Safe to run twice: what is done is not there any more. */
export const maintenance = defineJob({
  name: 'maintenance',
  payload: z.object({ task: MaintenanceTask, ...scheduled }),
  options: { retryDelays: [5, 15], expireInSeconds: 600, policy: 'exclusive' },
  async work({ payload: { task, scheduleId }, jobId, stopping, signal, log, services }) {
    const { pool: sql, now, config, directUrl } = services
    const result = await runTask(
      tasks[task],
      { scheduleId, jobId },
      { sql, directUrl, log, now, settings: config.maintenance, signal: AbortSignal.any([stopping, signal]) },
    )
    const cleanup = task.startsWith('prune-') && { event: 'CLEANUP_COMPLETE', totalDeleted: result.rows }
    log.info({ task, ...cleanup, ...result }, 'maintenance was done')
    return { task, ...result }
  },
})
