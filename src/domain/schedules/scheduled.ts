import { z } from 'zod'

/** What every job that the clock enqueues carries beside its own payload (freshet.schedule_payload). */
export const scheduled = {
  scheduleId: z.string().regex(/^\d{1,18}$/),
  trigger: z.enum(['SCHEDULED', 'MANUAL']).default('SCHEDULED'),
  dueAt: z.string(),
}
