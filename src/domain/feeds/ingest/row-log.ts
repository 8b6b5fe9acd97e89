import { readQuery } from '../../../db/query.ts'
import { queryRows } from '../../../db/sql.ts'
import type { Log } from '../../../log.ts'
import type { RunContext } from '../../runs/context.ts'
import type { Chunk } from './chunk.ts'
import type { FeedRow } from '../row/feed-row.ts'

/** How many rows of a batch are told of, and only at DEBUG: a line for each would be a log larger than the file. */
const mostTold = 5

/** What the merge of a batch made of one of its rows. */
export type WrittenRow = {
  n: number
  sourceProductId: string
  isNew: boolean
  isChanged: boolean
  priceReason: 'NEW' | 'CHANGED' | 'HEARTBEAT' | null
  lastPriceAt: Date | null
  priceId: string | null
  fieldsChanged: string[]
}

const statement = readQuery('told_rows')

/** Reads what became of a few rows of the batch that is being merged; nothing unless somebody reads at DEBUG. */
export const readWrittenRows = async (run: RunContext, log: Log): Promise<WrittenRow[]> =>
  log.isLevelEnabled('debug') ? queryRows<WrittenRow>(run.sql, statement, [run.runId, mostTold]) : []

/** Tells of a few rows of a batch that were left out or stood in it twice (S2 §17.5, §17.6). */
export function tellNotedRows({ samples }: Chunk, log: Log): void {
  const told: Record<string, number> = {}
  for (const { code, line: rowNumber, item, message, details } of samples) {
    told[code] = (told[code] ?? 0) + 1
    if (told[code] > mostTold) continue
    const isNote = code === 'URL_HASH_FALLBACK' || code === 'DUPLICATE_ROW_SAME_IDENTITY'
    const what = isNote ? { event: code, rowNumber, item } : { event: 'PARSE_ROW_SKIPPED', rowNumber, reason: code }
    log.debug({ ...what, ...(details && 'row' in details && { rawRow: details.row }) }, message)
  }
}

/** Tells of a few rows of a batch how they were read and what was written for them (S2 §17.6, §17.7). */
export function tellWrittenRows(rows: readonly FeedRow[], written: WrittenRow[], now: Date, log: Log): void {
  for (const each of written) {
    const row = rows[each.n]
    if (row) tellRow(row, each, now, log)
  }
}

function tellRow(row: FeedRow, written: WrittenRow, now: Date, log: Log): void {
  const { line: rowNumber, identity, itemId, sku, url, amount, currency, promo } = row
  const { sourceProductId, isNew, isChanged, priceReason, priceId, lastPriceAt, fieldsChanged } = written
  const identified = { identityType: identity.type, identityValue: identity.value }
  log.debug({ event: 'IDENTITY_RESOLVED', rowNumber, ...identified, alternates: { itemId, sku, url } }, 'identified')
  const changed = priceReason === 'NEW' || priceReason === 'CHANGED'
  log.debug({ event: 'PRICE_SIGNATURE', rowNumber, amount, currency, promo, changed }, 'its price was compared')
  if (priceReason === 'HEARTBEAT') {
    const hoursSince = lastPriceAt && Math.floor((now.getTime() - lastPriceAt.getTime()) / 3_600_000)
    log.debug({ event: 'PRICE_HEARTBEAT_DUE', rowNumber, sourceProductId, lastPriceAt, hoursSince }, 'its price is due')
  }
  if (isNew) log.debug({ event: 'PRODUCT_CREATED', sourceProductId, ...identified }, 'a product that was not known')
  else if (isChanged) log.debug({ event: 'PRODUCT_UPDATED', sourceProductId, fieldsChanged }, 'it says something new')
  if (isNew && identity.type === 'URL_HASH')
    log.debug(
      { event: 'URL_HASH_IDENTITY_CREATED', sourceProductId, url, hash: identity.value },
      'known by its address',
    )
  if (priceReason)
    log.debug({ event: 'PRICE_WRITTEN', sourceProductId, priceId, amount, reason: priceReason }, 'a price was written')
  if (isNew) log.debug({ event: 'PRESENCE_UPDATED', sourceProductId, lastSeenAt: now }, 'seen for the first time')
  log.debug({ event: 'SEEN_STAGED', sourceProductId }, 'among what the run saw')
}

const notes = ['URL_HASH_FALLBACK', 'DUPLICATE_ROW_SAME_IDENTITY', 'PATH_CASE_COLLISION', 'IMPLAUSIBLE_PRICE']
const news = ['IDENTITY_UPGRADE_DETECTED', 'PARENT_ROW_SKIPPED']

/** Tells once a run how often each thing was noted of its rows, for whoever watches the log for it (S2 §17.13). */
export async function tellTotals(run: RunContext, log: Log): Promise<void> {
  const totals = await queryRows<{ code: string; count: number }>(
    run.sql,
    'select code, total as count from freshet.run_error_totals where run_id = $1 order by code',
    [run.runId],
  )
  for (const { code, count } of totals) {
    if (news.includes(code)) log.info({ event: code, count }, 'rows of the file that say something else')
    else if (notes.includes(code)) log.warn({ event: code, count }, 'rows of the file that should be looked at')
    else log.warn({ event: 'PARSE_ROW_SKIPPED', reason: code, count }, 'rows of the file were left out')
  }
}
