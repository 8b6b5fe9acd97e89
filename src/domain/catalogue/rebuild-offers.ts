import type { Db } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { notFound } from '../errors.ts'

/** A catalogue of millions takes minutes, and is done once in a blue moon. */
const timeout = 3_600_000

/**
 * Derives what consumers see from history alone, for a source or for all, and puts right what differs. Answers how many offers
 * were wrong: none, unless something is broken.
 */
export async function rebuildOffers(
  db: Db,
  actor: Actor,
  sourceId: bigint | undefined,
  now: Date,
): Promise<{ corrected: number }> {
  return db.$transaction(
    async (tx) => {
      if (sourceId !== undefined && !(await tx.source.findUnique({ where: { id: sourceId }, select: { id: true } })))
        throw notFound('source', 'sourceId')
      const text = 'select freshet.rebuild_current_offers($1, $2::bigint) as corrected'
      const [row] = await queryRows<{ corrected: number }>(tx, text, [now, sourceId ?? null])
      const corrected = row?.corrected ?? 0
      const changes = {
        ...(sourceId === undefined ? {} : { sourceId: { to: sourceId } }),
        corrected: { to: corrected },
      }
      await audit(tx, actor, { action: 'REBUILD_OFFERS', objectType: 'Offer', changes })
      return { corrected }
    },
    { timeout },
  )
}
