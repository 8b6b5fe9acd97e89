import { z } from 'zod'
import type { Actor } from '../../access/actor.ts'
import { audit, changedFields, hasChanges } from '../../access/audit.ts'
import { DomainError } from '../../errors.ts'
import { check } from '../../input.ts'
import { lockFeed } from './feed-record.ts'
import type { FeedParts } from '../parts.ts'

/** More than one, so that a network can rotate its key; not many, for each is let in. */
const mostKeys = 5

const fingerprintForm = z
  .string()
  .trim()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'must be a fingerprint as OpenSSH shows it: SHA256: and 43 characters.')
  .transform((text) => text.replace(/=$/, ''))

/** Lets in the SSH host key with this fingerprint, beside those accepted before; `only` forgets the others. */
export async function acceptHostKey(
  { db }: Pick<FeedParts, 'db'>,
  actor: Actor,
  id: bigint,
  { fingerprint, only }: { fingerprint: string; only: boolean },
): Promise<bigint> {
  const accepted = check(fingerprintForm, fingerprint, 'fingerprint')
  return db.$transaction(async (tx) => {
    const { feed } = await lockFeed(tx, id, 'id')
    const kept = only ? [] : feed.hostKeys.filter((known) => known !== accepted)
    const isKnown = feed.hostKeys.includes(accepted)
    if (!isKnown && kept.length >= mostKeys)
      throw new DomainError('CONFLICT', `fingerprint: ${mostKeys} host keys are accepted already.`, {
        field: 'fingerprint',
        hint: 'Send it with only: true to forget the others.',
      })
    const hostKeys = isKnown && !only ? feed.hostKeys : [...kept, accepted]
    const changes = changedFields(feed, { hostKeys })
    if (hasChanges(changes)) await tx.feed.update({ where: { id }, data: { hostKeys } })
    await audit(tx, actor, { action: 'ACCEPT_HOST_KEY', objectType: 'Feed', objectId: id, changes })
    return id
  })
}
