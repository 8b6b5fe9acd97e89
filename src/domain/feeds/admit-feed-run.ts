import { queryRows } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { CancelJob, PermanentError, SnoozeJob } from '../queue/job-error.ts'
import type { Admit } from '../runs/run.ts'
import type { FeedRequest } from './feed-jobs.ts'

type Answer = {
  verdict: 'RUN' | 'COVERED' | 'NOT_ENABLED'
  source_id: string
  status: string
  has_run: boolean
  host: string
}

const slotSeconds = 10

/**
 * Settles under the feed's lock whether a job is to run (RULINGS 16): not if a later run covered its request, nor if the feed is
 * not ENABLED any more. At one host only so many run at once; who finds no place waits.
 */
export const admitFeedRun =
  ({ feedId, trigger, request }: FeedRequest, runsPerHost: number, log: Log): Admit =>
  async (sql, jobId) => {
    const statement = 'select * from freshet.admit_feed_run($1, $2::uuid, $3)'
    const [answer] = await queryRows<Answer>(sql, statement, [feedId, jobId, request])
    if (!answer?.source_id) throw new CancelJob('The feed is not there any more.')
    if (answer.verdict === 'COVERED') throw new CancelJob('A run that began later has covered this request.')
    if (answer.verdict === 'NOT_ENABLED') {
      log.debug({ event: 'FEED_SKIPPED_STATUS', status: answer.status }, 'the feed is not to run now')
      throw notEnabled(answer.has_run)
    }
    const [slot] = await queryRows<{ isTaken: boolean }>(sql, 'select freshet.take_host_slot($1, $2) as "isTaken"', [
      answer.host,
      runsPerHost,
    ])
    if (!slot?.isTaken) throw new SnoozeJob(slotSeconds, `${runsPerHost} runs are at ${answer.host} already.`)
    return { kind: 'FEED', trigger, sourceId: answer.source_id }
  }

/** Before a run began there is nothing to tell; one that began must have an end. */
const notEnabled = (hasRun: boolean) =>
  hasRun
    ? new PermanentError('The feed was paused or disabled while its run was to be tried again.', {
        code: 'FEED_NOT_ENABLED',
        isCounted: false,
      })
    : new CancelJob('The feed is not enabled any more.')
