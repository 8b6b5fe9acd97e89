import { countImpact } from '../../domain/feeds/feed-impact.ts'
import type { FeedRun } from '../../db/generated/client/client.ts'
import { encodeId } from '../../domain/global-id.ts'
import { toJson } from '../print.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../error.ts'
import type { Live } from './hub.ts'
import { sayCount, saySeconds } from './words.ts'

/** Says how the run of a feed ended. One that failed or was blocked is told as an error, with what to do. */
export async function tellEnd(context: Context, { db, pool, now }: Live, runId: bigint): Promise<void> {
  const run = await db.run.findUniqueOrThrow({
    where: { id: runId },
    include: { feedRun: true, promotions: true },
  })
  const { status, counters, startedAt, finishedAt, errorCode, errorMessage, errorHint, errorCount } = run
  const { feedRun } = run
  const { skippedReason, isBlocked, blockReasons, wouldExpireCount } = feedRun ?? {}
  const id = encodeId('FeedRun', runId)
  const wouldExpire = isBlocked ? ((await countImpact(pool, [runId], now()))[0]?.EXPIRE ?? 0) : 0
  const mutations = isBlocked ? decisions(id, wouldExpire) : undefined
  const { promotions } = run
  // Under HOLD_REMOVALS a block holds back what would vanish, and no more (DESIGN 9.21).
  const shown =
    promotions.length > 0 ? 'What arrived is shown, and nothing vanishes' : 'Consumers see what they saw before'
  const seconds = ((finishedAt ?? now()).getTime() - startedAt.getTime()) / 1000
  if (context.json) {
    const { productsExpired = null } = feedRun ?? {}
    const figures = { counters, errorCount, productsExpired, wouldExpireCount, skippedReason, blockReasons }
    const why = { errorCode, errorMessage, errorHint }
    context.out.write(`${toJson({ run: { id, number: runId, status, seconds, ...figures, ...why, ...mutations } })}\n`)
  }
  if (status === 'FAILED')
    throw new CommandError(errorCode ?? 'RUN_FAILED', `Run ${runId} failed: ${errorMessage}`, {
      hint: errorHint ?? undefined,
    })
  if (feedRun && mutations)
    throw new CommandError(
      feedRun.blockReasons[0] ?? 'RUN_BLOCKED',
      `Run ${runId} was blocked (${feedRun.blockReasons.join(', ')}): ${sayBlock(counters, feedRun)}. ${shown}.`,
      {
        hint: `Look at its impact first (docs/operations.md, "A blocked run"), then\n${Object.values(mutations).join('\n')}`,
      },
    )
  if (!context.json) context.out.write(`${sayEnd(counters, seconds, skippedReason, feedRun?.productsExpired ?? 0)}\n`)
}

/** The figures that a run was blocked for: what would vanish, and whatever else its reasons name. */
function sayBlock(counters: unknown, feedRun: FeedRun): string {
  const { blockReasons, wouldExpireCount, activeCountBefore, pricesMoved, pricesCompared, priceFactor } = feedRun
  const of = countIn(counters)
  const parts = [`${wouldExpireCount} of ${activeCountBefore} active offers would expire`]
  if (blockReasons.includes('DATA_QUALITY_REJECTED_ROWS'))
    parts.push(`${of('productsRejected')} of ${of('rowsRead')} rows were refused`)
  if (blockReasons.includes('DATA_QUALITY_URL_HASH_SPIKE'))
    parts.push(`${of('urlHashFallbackCount')} of ${of('productsUpserted')} products are known by their address alone`)
  if (blockReasons.includes('PRICE_SPIKE_THRESHOLD_EXCEEDED'))
    parts.push(`${pricesMoved} of ${pricesCompared} prices moved, by a factor of ${String(priceFactor)} in the middle`)
  return parts.join(', ')
}

const countIn = (counters: unknown) => (name: string) =>
  sayCount((counters as Record<string, number | undefined>)[name] ?? 0)

function sayEnd(counters: unknown, seconds: number, skippedReason: string | null | undefined, expired: number): string {
  if (skippedReason) return `Succeeded in ${saySeconds(seconds)}: nothing to do (${skippedReason}).`
  const of = countIn(counters)
  const parts = [
    `${of('rowsRead')} rows read`,
    `${of('productsRejected')} rejected`,
    `${of('productsUpserted')} offers seen`,
    `${of('pricesWritten')} prices written`,
    `${sayCount(expired)} expired`,
  ]
  return `Succeeded in ${saySeconds(seconds)}: ${parts.join(', ')}.`
}

/** What decides a blocked run; the number is the one that the operator was shown (DESIGN 9.21). */
const decisions = (id: string, wouldExpire: number) => ({
  approve: `mutation { approveActivation(runId: "${id}", expectedWouldExpire: ${wouldExpire}) { isDone } }`,
  reject: `mutation { rejectActivation(runId: "${id}", reason: "…") { isDone } }`,
})
