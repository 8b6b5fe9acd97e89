import type { Db } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { notFound } from '../errors.ts'
import { cancelRunOfJob } from '../runs/fail-run.ts'
import type { JobPlace } from './operate.ts'

/** Records that somebody is about to send a job through pg-boss's dashboard, which knows nothing of our audit log. */
export async function recordSentJob(db: Db, actor: Actor, queue: string): Promise<void> {
  const changes = { queue: { to: queue }, dashboard: { to: true } }
  const record = { action: 'SEND_JOB', objectType: 'Queue', objectId: queue, changes } as const
  await db.$transaction((tx) => audit(tx, actor, record))
}

const remove = 'delete from pgboss.job where name = $1 and id = $2::uuid returning state::text'

/** Deletes a job, in whatever state it is, and ends its run: there would be no job left to do so. */
export async function deleteJob(db: Db, actor: Actor, { queue, id }: JobPlace, now: Date): Promise<void> {
  await db.$transaction(
    async (tx) => {
      const [job] = await queryRows<{ state: string }>(tx, remove, [queue, id])
      if (!job) throw notFound('job', 'id')
      const hadRun = await cancelRunOfJob(tx, id, now)
      const changes = {
        queue: { to: queue },
        dashboard: { to: true },
        state: { from: job.state, to: 'deleted' },
        run: { to: hadRun },
      }
      await audit(tx, actor, { action: 'DELETE_JOB', objectType: 'Job', objectId: id, changes })
    },
    // Ending the connection of a run at work is waited for, up to five seconds.
    { timeout: 10_000 },
  )
}
