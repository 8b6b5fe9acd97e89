import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'
import { readPages } from '../read-many.ts'

/** One thing that a run would change for consumers. */
export type Effect = {
  runId: bigint
  offerId: bigint
  effect: 'EXPIRE' | 'APPEAR' | 'PRICE'
  title: string | null
  currency: string | null
  oldPrice: string | null
  newPrice: string | null
  isHeld: boolean
}
export type EffectCounts = Record<Effect['effect'], number>

const pages = readQuery('feed_impact_pages')
const counts = readQuery('feed_impact_counts')

/** Which part of a run's impact is asked for: what lies behind an offer, and how much of it. */
export type ImpactPart = { runId: bigint; after: bigint; take: number }

/** A page for each part, by offer. */
export const readImpact = (pool: Pool, parts: readonly ImpactPart[], now: Date): Promise<Effect[][]> =>
  readPages(parts, 'runId', async (runIds, { after, take }) => {
    type Row = Omit<Effect, 'runId' | 'offerId'> & { runId: string; offerId: string }
    const rows = await queryRows<Row>(pool, pages, [runIds, now, after, take])
    return rows.map((row) => ({ ...row, runId: BigInt(row.runId), offerId: BigInt(row.offerId) }))
  })

/** How many effects of each sort the runs would have, in the order asked for. */
export async function countImpact(pool: Pool, runIds: readonly bigint[], now: Date): Promise<EffectCounts[]> {
  type Row = { runId: string; effect: Effect['effect']; n: number }
  const rows = await queryRows<Row>(pool, counts, [[...new Set(runIds)], now])
  return runIds.map((id) => {
    const none: EffectCounts = { EXPIRE: 0, APPEAR: 0, PRICE: 0 }
    for (const { runId, effect, n } of rows) if (runId === String(id)) none[effect] = n
    return none
  })
}
