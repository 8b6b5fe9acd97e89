import type { Tx } from '../../db/prisma.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import { DomainError } from '../errors.ts'
import { inOrder } from '../read-many.ts'

/** What of a source consumers see, and what they would see if it were visible. */
export type OfferCounts = { visible: number; active: number }

const counts = readQuery('source_offer_counts')

/** The counts of these sources at a moment, in the order asked for. */
export async function readOfferCounts(sql: Sql, ids: readonly bigint[], now: Date): Promise<OfferCounts[]> {
  const rows = await queryRows<OfferCounts & { id: string }>(sql, counts, [[...new Set(ids)], now])
  return inOrder(ids, rows, ({ id }) => id).map((row) => ({ visible: row?.visible ?? 0, active: row?.active ?? 0 }))
}

/** A change of what a retailer shows: whether it was confirmed, and the moment that it is looked at. */
export type Showing = { confirm: boolean; now: Date }

/** What a change takes from consumers, and what it gives them. */
type Impact = { before: number; vanishing: number; appearing: number }

/**
 * Makes a change of what the retailer of a source shows. Where so much would vanish that a feed's run would be blocked for it
 * (S2 §8.8), it is undone and refused, unless it was confirmed (RULINGS 22).
 */
export async function changeShown(
  tx: Tx,
  sourceId: bigint,
  { confirm, now }: Showing,
  field: string,
  change: () => Promise<void>,
): Promise<void> {
  const before = await readShown(tx, sourceId, now)
  await change()
  const after = await readShown(tx, sourceId, now)
  const impact = {
    before: sum(before),
    vanishing: sum(without(before, after)),
    appearing: sum(without(after, before)),
  }
  if (!confirm) await refuseSpike(tx, impact, field)
}

async function refuseSpike(tx: Tx, { before, vanishing, appearing }: Impact, field: string): Promise<void> {
  const asked = 'select freshet.is_spike($1::bigint, $2::bigint) as "isSpike"'
  const [row] = await queryRows<{ isSpike: boolean }>(tx, asked, [before, vanishing])
  if (!row?.isSpike) return
  const told = `${vanishing} of the ${before} offers that the retailer shows would vanish, and ${appearing} would appear.`
  throw new DomainError('CONFIRMATION_REQUIRED', told, {
    field,
    hint: 'Compare Source.offerCounts of the sources. If it is meant, send it again with confirm: true.',
  })
}

type Shown = Map<string, number>

/** How many offers of each source of a retailer consumers see. */
async function readShown(tx: Tx, sourceId: bigint, now: Date): Promise<Shown> {
  const rows = await tx.$queryRaw<{ id: string; n: number }[]>`
    select source_id::text as id, count(*)::int as n from freshet.visible_offers(${now})
    where retailer_id = (select retailer_id from freshet.sources where id = ${sourceId}) group by source_id`
  return new Map(rows.map(({ id, n }) => [id, n]))
}

const without = (shown: Shown, other: Shown): Shown => new Map([...shown].filter(([id]) => !other.has(id)))
const sum = (shown: Shown) => [...shown.values()].reduce((all, n) => all + n, 0)
