import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'

/** Records what somebody is about to do through pg-boss's dashboard, which knows nothing of our audit log. */
export async function recordDashboardAction(
  db: Db,
  actor: Actor,
  action: { kind: 'delete' | 'send'; queue: string; jobId?: string },
): Promise<void> {
  const { kind, queue, jobId } = action
  const changes = { queue: { to: queue }, dashboard: { to: true } }
  const record =
    kind === 'delete' && jobId
      ? { action: 'DELETE_JOB', objectType: 'Job', objectId: jobId }
      : { action: 'SEND_JOB', objectType: 'Queue', objectId: queue }
  await db.$transaction((tx) => audit(tx, actor, { ...record, changes }))
}
