import type { InTx } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'

/** What the hours were changed of: a source, or the feed that they are shown with (RULINGS 11). */
type Subject = { objectType: 'Source' | 'Feed'; objectId: bigint }

/** Other expiry hours change at once what is active (S2 §2.8.2), so they have a record of their own, whoever changed them. */
export async function recordExpiryHours(
  tx: InTx,
  log: Log,
  actor: Actor,
  { objectType, objectId }: Subject,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const changes = { expiryHours: { from, to } }
  await audit(tx, actor, { action: 'EXPIRY_HOURS_CHANGED', objectType, objectId, changes })
  const subject = objectType === 'Feed' ? { feedId: objectId } : { sourceId: objectId }
  const fields = { event: 'EXPIRY_HOURS_CHANGED', ...subject, oldValue: from, newValue: to, changedBy: actor.name }
  log.warn(fields, 'other expiry hours: offers may appear or expire at once')
}
