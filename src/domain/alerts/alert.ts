import type { Alert } from '../../db/generated/client/client.ts'
import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { changeRow } from '../change.ts'

/** Says that somebody looks after an alert. Done twice, or on one that is resolved, it changes nothing. */
export async function acknowledgeAlert(db: Db, actor: Actor, id: bigint, now: Date): Promise<bigint> {
  const decide = ({ acknowledgedAt, resolvedAt }: Alert) =>
    (acknowledgedAt ?? resolvedAt) ? {} : { acknowledgedAt: now, acknowledgedBy: actor.name }
  return changeRow(db, actor, { model: 'Alert', id, field: 'id', action: 'ACKNOWLEDGE_ALERT', decide })
}

/** Ends an alert by hand: if its condition still holds, the next raise is a new alert. Done twice it changes nothing. */
export async function resolveAlert(db: Db, actor: Actor, id: bigint, now: Date): Promise<bigint> {
  const decide = ({ resolvedAt }: Alert) => (resolvedAt ? {} : { resolvedAt: now, resolvedBy: actor.name })
  return changeRow(db, actor, { model: 'Alert', id, field: 'id', action: 'RESOLVE_ALERT', decide })
}
