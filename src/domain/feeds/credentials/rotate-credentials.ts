import type { Db, Tx } from '../../../db/prisma.ts'
import { addSecrets, withLogFields } from '../../../log.ts'
import type { Actor } from '../../access/actor.ts'
import { audit } from '../../access/audit.ts'
import { PermanentError } from '../../queue/job-error.ts'
import type { KeyRing } from './key-ring.ts'
import { decryptSecret, encryptSecret, secretContext } from './secret.ts'
import { secretsOf } from '../transport/connection.ts'

/** A feed whose credential neither key opens, and why. */
export type UnreadableCredential = { feedId: bigint; name: string; message: string }

/** What a rotation found: how many credentials are of the current key now, were before, and stay as they are. */
export type Rotation = { keyId: string; rotated: number; current: number; unreadable: UnreadableCredential[] }

type Options = { dryRun: boolean; signal: AbortSignal }

/**
 * Encrypts the credentials of all feeds anew that the older key still holds (issue 5 §5). Each is a transaction of its own, so
 * a rotation that dies is taken up by the next one. A credential that neither key opens stays as it is.
 */
export async function rotateCredentials(
  db: Db,
  actor: Actor,
  keyRing: KeyRing,
  { dryRun, signal }: Options,
): Promise<Rotation> {
  const rotation: Rotation = { keyId: keyRing.current.id, rotated: 0, current: 0, unreadable: [] }
  const where = { secretCiphertext: { not: null } }
  const select = { id: true, source: { select: { name: true } } } as const
  for (const { id, source } of await db.feed.findMany({ where, select, orderBy: { id: 'asc' } })) {
    signal.throwIfAborted()
    try {
      // Prisma may quote what it could not write: with the secret named, nothing that is told of it holds that.
      const outcome = await withLogFields({}, () => db.$transaction((tx) => rotateOne(tx, actor, keyRing, id, dryRun)))
      if (outcome !== 'gone') rotation[outcome]++
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      rotation.unreadable.push({ feedId: id, name: source.name, message: error.message })
    }
  }
  return rotation
}

/** One feed, under its row lock: whoever types a new credential meanwhile comes before this or after it. */
async function rotateOne(
  tx: Tx,
  actor: Actor,
  keyRing: KeyRing,
  id: bigint,
  dryRun: boolean,
): Promise<'rotated' | 'current' | 'gone'> {
  await tx.$executeRaw`select from freshet.feeds where id = ${id} for no key update`
  const feed = await tx.feed.findUnique({ where: { id } })
  const { secretCiphertext, secretKeyId, secretVersion } = feed ?? {}
  if (!secretCiphertext || !secretKeyId || secretVersion === undefined) return 'gone'
  const context = secretContext(id, secretVersion)
  // One of the current key is opened, too: that is how a row into which another one was copied is found.
  const secret = decryptSecret(keyRing, { secretCiphertext, secretKeyId }, context)
  addSecrets(...secretsOf({ secret }))
  if (secretKeyId === keyRing.current.id) return 'current'
  if (dryRun) return 'rotated'
  // The secret is the same, so its version is: a run that has read the row already still opens what it read.
  const stored = encryptSecret(keyRing, secret, context)
  const data = { secretCiphertext: Buffer.from(stored.secretCiphertext), secretKeyId: stored.secretKeyId }
  await tx.feed.update({ where: { id }, data })
  const changes = { secretKeyId: { from: secretKeyId, to: stored.secretKeyId } }
  await audit(tx, actor, { action: 'CREDENTIAL_ROTATED', objectType: 'Feed', objectId: id, changes })
  return 'rotated'
}
