import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import type { RunContext } from '../runs/context.ts'
import type { FeedForRun } from './feed-for-run.ts'

/** How a run was judged. */
type Verdict = {
  isBlocked: boolean
  blockReasons: string[]
  activeCountBefore: number
  seenSuccessCount: number
  wouldExpireCount: number
  productsExpired: number | null
  pricesCompared: number
  pricesMoved: number
  priceFactor: string | null
  warnings: { code: string; message: string }[]
  thresholdPercent: number
  thresholdAbsolute: number
  /** How many products the run saw. */
  seenCount: number
}

const conclude = readQuery('conclude_feed_run')

/** Judges what a run took in and shows or blocks it, in one transaction with the end of the run; then says so. */
export async function concludeFeedRun(
  run: RunContext,
  { reading }: Pick<FeedForRun, 'reading'>,
  t0: Date,
  log: Log,
): Promise<void> {
  log.info({ event: 'CIRCUIT_BREAKER_START', t0 }, 'the run is judged')
  const begun = performance.now()
  const verdict = await run.transaction(async () => {
    const [row] = await queryRows<Verdict>(run.sql, conclude, [run.runId, run.attempt, t0, JSON.stringify(reading)])
    if (!row) throw new Error('The run was not judged.')
    return row
  })
  tell(verdict, Math.round(performance.now() - begun), log)
}

function tell(verdict: Verdict, durationMs: number, log: Log): void {
  const { activeCountBefore, seenSuccessCount, wouldExpireCount, isBlocked, blockReasons, warnings } = verdict
  const { thresholdPercent, thresholdAbsolute } = verdict
  const expirePercent = activeCountBefore > 0 ? (100 * wouldExpireCount) / activeCountBefore : 0
  const counts = { activeCountBefore, seenSuccessCount, wouldExpireCount, expirePercent }
  log.debug({ event: 'CIRCUIT_BREAKER_COUNTS', ...counts }, 'counted')
  for (const { code, message } of warnings) log.warn({ event: code, ...counts }, message)
  if (isBlocked) {
    const { pricesCompared, pricesMoved, priceFactor } = verdict
    log.warn(
      {
        event: 'CIRCUIT_BREAKER_TRIPPED',
        ...counts,
        thresholdPercent,
        thresholdAbsolute,
        pricesCompared,
        pricesMoved,
        priceFactor,
        reason: blockReasons[0],
        reasons: blockReasons,
      },
      'the run is blocked: an operator decides',
    )
    return
  }
  log.info({ event: 'CIRCUIT_BREAKER_PASSED', ...counts, thresholdPercent, thresholdAbsolute }, 'the run may be shown')
  const promoted = { promoteRowsUpdated: verdict.seenCount, productsExpired: verdict.productsExpired, durationMs }
  log.info({ event: 'PROMOTE_COMPLETE', ...promoted }, 'the run is shown')
}
