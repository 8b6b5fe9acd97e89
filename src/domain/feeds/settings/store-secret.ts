import type { Tx } from '../../../db/prisma.ts'
import type { Actor } from '../../access/actor.ts'
import { audit } from '../../access/audit.ts'
import { DomainError } from '../../errors.ts'
import { encryptSecret, secretContext, type FeedSecret } from '../credentials/secret.ts'
import type { FeedParts } from '../parts.ts'

/** What is new of who logs in at a feed's server, and how. */
type Credential = { secret: FeedSecret | undefined; isOtherUser: boolean }

/**
 * Encrypts the secret that was typed, if one was, into its feed's row. Which fields of the credential are new is recorded, never
 * their values: of a user name, too, no more than that it is another one (S2 §10.6).
 */
export async function storeCredential(
  tx: Tx,
  { keyRing, log }: Pick<FeedParts, 'keyRing' | 'log'>,
  actor: Actor,
  { id, secretVersion }: { id: bigint; secretVersion: number },
  { secret, isOtherUser }: Credential,
): Promise<void> {
  if (secret) {
    const { secretCiphertext, secretKeyId } = encryptSecret(keyRing, secret, secretContext(id, secretVersion))
    const data = { secretCiphertext: Buffer.from(secretCiphertext), secretKeyId, secretVersion }
    await tx.feed.update({ where: { id }, data })
  }
  const fields = [...(isOtherUser ? ['username'] : []), ...Object.keys(secret ?? {})]
  if (fields.length === 0) return
  const changes = Object.fromEntries(fields.map((field) => [field, 'changed' as const]))
  await audit(tx, actor, { action: 'CREDENTIAL_CHANGED', objectType: 'Feed', objectId: id, changes })
  for (const fieldName of fields)
    log.info({ event: 'CREDENTIAL_CHANGED', feedId: id, fieldName, changedBy: actor.name }, 'a credential was changed')
}

/** Credentials are for administrators alone (DESIGN 8). */
export function needAdmin({ scopes }: Actor, field: string, what: string): void {
  if (scopes.has('ADMIN')) return
  throw new DomainError('FORBIDDEN', `${field}: ${what} needs a key with the scope ADMIN.`, { field })
}
