import type { Tx } from '../../../db/prisma.ts'
import type { Actor } from '../../access/actor.ts'
import { audit } from '../../access/audit.ts'
import { DomainError } from '../../errors.ts'
import { encryptSecret, secretContext, type FeedSecret } from '../credentials/secret.ts'
import type { FeedParts } from '../parts.ts'

/** Encrypts a credential into its feed's row and records which fields of it are new, never their values (S2 §10.6). */
export async function storeSecret(
  tx: Tx,
  { keyRing }: Pick<FeedParts, 'keyRing'>,
  actor: Actor,
  feed: { id: bigint; secretVersion: number },
  secret: FeedSecret,
): Promise<void> {
  const { secretCiphertext, secretKeyId } = encryptSecret(keyRing, secret, secretContext(feed.id, feed.secretVersion))
  const data = { secretCiphertext: Buffer.from(secretCiphertext), secretKeyId, secretVersion: feed.secretVersion }
  await tx.feed.update({ where: { id: feed.id }, data })
  await recordSecret(tx, actor, feed.id, Object.keys(secret))
}

/** Of a user name, too, the record says no more than that it is another one. */
export async function recordSecret(tx: Tx, actor: Actor, feedId: bigint, fields: string[]): Promise<void> {
  const changes = Object.fromEntries(fields.map((field) => [field, 'changed' as const]))
  await audit(tx, actor, { action: 'CREDENTIAL_CHANGED', objectType: 'Feed', objectId: feedId, changes })
}

/** Credentials are for administrators alone (DESIGN 8). */
export function needAdmin({ scopes }: Actor, field: string, what: string): void {
  if (scopes.has('ADMIN')) return
  throw new DomainError('FORBIDDEN', `${field}: ${what} needs a key with the scope ADMIN.`, { field })
}
