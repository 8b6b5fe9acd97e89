import type { RunStatus } from '../../db/generated/client/enums.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import { addLogFields, reason, type Log } from '../../log.ts'

type Named = { runId: string; attempt: number; sourceId?: string | bigint | null | undefined }

/** Lets every further line of the job at work name its run. */
export const nameRun = ({ runId, attempt, sourceId }: Named): void =>
  addLogFields({ runId, runAttempt: attempt, sourceId: sourceId?.toString() })

const ends = readQuery('run_ends')

type End = {
  runId: string
  runAttempt: number
  jobId: string | null
  sourceId: string | null
  stage: string | null
  durationMs: number
  /** Of a run that held a feed's lock. */
  feed: {
    feedId: string
    pending: boolean
    enqueuingFollowUp: boolean
    consecutiveFailures: number
    isDisabled: boolean
  } | null
} & ({ status: Exclude<RunStatus, 'FAILED'>; counters: object } | { status: 'FAILED'; code: string; error: string })

/** Says how runs ended, whoever ended them (S2 §17.10). That is written already, so a failure here is nobody's. */
export async function tellEnds(sql: Sql, runIds: string[], log: Log): Promise<void> {
  try {
    for (const end of await queryRows<End>(sql, ends, [runIds])) {
      const { runId, runAttempt, jobId, sourceId, stage, durationMs } = end
      const fields = { runId, runAttempt, ...(jobId && { jobId }), ...(sourceId && { sourceId }), stage, durationMs }
      if (end.status === 'FAILED')
        log.info({ event: 'RUN_FAILED', ...fields, code: end.code, error: end.error }, 'a run failed')
      else log.info({ event: 'RUN_COMPLETE', ...fields, status: end.status, summary: end.counters }, 'a run succeeded')
      if (end.feed) tellFeed(end, end.feed, log)
    }
  } catch (error) {
    log.warn({ runIds, error: reason(error) }, 'how runs ended could not be told')
  }
}

/** What the end of its run meant for a feed. */
function tellFeed(end: End, feed: NonNullable<End['feed']>, log: Log): void {
  const { feedId, pending, enqueuingFollowUp, consecutiveFailures, isDisabled } = feed
  const { runId } = end
  if (end.status === 'FAILED' && isDisabled)
    log.warn(
      { event: 'FEED_AUTO_DISABLED', feedId, runId, consecutiveFailures, lastError: end.code },
      'failures in a row disabled the feed',
    )
  log.debug(
    { event: 'MANUAL_RUN_PENDING_CHECK', feedId, runId, pending, enqueuingFollowUp },
    'whether another run was asked for meanwhile',
  )
}
