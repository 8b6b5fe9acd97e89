import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { DomainError, notFound } from '../errors.ts'
import type { FeedParts } from './parts.ts'

const request = 'select request::text, job_id::text as "jobId" from freshet.request_feed_run($1, $2, $3)'

/**
 * Asks for a run of a feed now (S2 §6.5). However often it is asked while a run is at work, one follow-up covers it. `force`
 * processes the file although it did not change.
 */
export async function runFeed({ db, now, log }: FeedParts, actor: Actor, id: bigint, force: boolean): Promise<bigint> {
  await db.$transaction(async (tx) => {
    const feed = await tx.feed.findUnique({ where: { id }, select: { status: true } })
    if (!feed) throw notFound('feed', 'id')
    if (feed.status !== 'ENABLED')
      throw new DomainError('FEED_NOT_ENABLED', `The feed is ${feed.status}: only an enabled one runs.`, {
        field: 'id',
      })
    const [row] = await queryRows<{ request: string }>(tx, request, [id, force, now()])
    const changes = { request: { to: Number(row?.request) }, force: { to: force } }
    await audit(tx, actor, { action: 'RUN_FEED', objectType: 'Feed', objectId: id, changes })
  })
  log.info(
    { event: 'MANUAL_RUN_REQUESTED', feedId: id, force, requestedBy: actor.name },
    'a run of a feed was asked for',
  )
  return id
}
