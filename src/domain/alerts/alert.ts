import type { Alert } from '../../db/generated/client/client.ts'
import type { Db, Tx } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit, changedFields } from '../access/audit.ts'
import { notFound } from '../errors.ts'

/** Says that somebody looks after an alert. Done twice, or on one that is resolved, it changes nothing. */
export async function acknowledgeAlert(db: Db, actor: Actor, id: bigint, now: Date): Promise<Alert> {
  return change(db, actor, 'ACKNOWLEDGE_ALERT', id, ({ acknowledgedAt, resolvedAt }) =>
    (acknowledgedAt ?? resolvedAt) ? {} : { acknowledgedAt: now, acknowledgedBy: actor.name },
  )
}

/** Ends an alert by hand: if its condition still holds, the next raise is a new alert. Done twice it changes nothing. */
export async function resolveAlert(db: Db, actor: Actor, id: bigint, now: Date): Promise<Alert> {
  return change(db, actor, 'RESOLVE_ALERT', id, ({ resolvedAt }) =>
    resolvedAt ? {} : { resolvedAt: now, resolvedBy: actor.name },
  )
}

async function change(
  db: Db,
  actor: Actor,
  action: string,
  id: bigint,
  decide: (alert: Alert) => Partial<Omit<Alert, 'details'>>,
): Promise<Alert> {
  return db.$transaction(async (tx) => {
    const before = await lock(tx, id)
    const data = decide(before)
    const changes = changedFields(before, data)
    await audit(tx, actor, { action, objectType: 'Alert', objectId: id, changes })
    return Object.keys(data).length > 0 ? tx.alert.update({ where: { id }, data }) : before
  })
}

async function lock(tx: Tx, id: bigint): Promise<Alert> {
  await tx.$executeRaw`select from freshet.alerts where id = ${id} for no key update`
  const alert = await tx.alert.findUnique({ where: { id } })
  if (!alert) throw notFound('alert', 'id')
  return alert
}
