import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { DomainError, notFound } from '../errors.ts'
import type { FeedParts } from './parts.ts'

const statement =
  'select request::text, job_id::text as "jobId", active_run_id::text as "activeRunId" from freshet.request_feed_run($1, $2, $3)'

type Asked = { request: string; jobId: string | null; activeRunId: string | null }

type Parts = Pick<FeedParts, 'db' | 'now' | 'log'>

/**
 * Asks for a run of a feed now (S2 §6.5). However often it is asked while a run is at work, one follow-up covers it. `force`
 * processes the file although it did not change.
 */
export async function runFeed(parts: Parts, actor: Actor, id: bigint, force: boolean): Promise<bigint> {
  await askForRun(parts, actor, id, force)
  return id
}

/** The same, but answers the number of the request, by which `readFeedRequest` finds the run that covers it. */
export async function askForRun({ db, now, log }: Parts, actor: Actor, id: bigint, force: boolean): Promise<number> {
  const asked = await db.$transaction(async (tx) => {
    const select = { status: true, source: { select: { affiliateNetwork: true } } } as const
    const feed = await tx.feed.findUnique({ where: { id }, select })
    if (!feed) throw notFound('feed', 'id')
    if (feed.status !== 'ENABLED')
      throw new DomainError('FEED_NOT_ENABLED', `The feed is ${feed.status}: only an enabled one runs.`, {
        field: 'id',
      })
    const [row] = await queryRows<Asked>(tx, statement, [id, force, now()])
    if (!row) throw new Error('The request got no number.')
    const request = Number(row.request)
    const changes = { request: { to: request }, force: { to: force } }
    await audit(tx, actor, { action: 'RUN_FEED', objectType: 'Feed', objectId: id, changes })
    return { ...row, request, network: feed.source.affiliateNetwork }
  })
  const { request, jobId, activeRunId, network } = asked
  log.info(
    { event: 'MANUAL_RUN_REQUESTED', feedId: id, force, requestedBy: actor.name },
    'a run of a feed was asked for',
  )
  if (activeRunId)
    log.warn(
      { event: 'MANUAL_RUN_PENDING_SET', feedId: id, activeRunId },
      'a run is at work: one follow-up comes after it',
    )
  if (jobId)
    log.info({ event: 'FEED_ENQUEUED', feedId: id, network, jobId, trigger: 'MANUAL' }, 'a run of a feed is enqueued')
  return request
}
