import type { FeedStatus } from '../../../db/generated/client/enums.ts'
import type { Actor } from '../../access/actor.ts'
import { audit, changedFields } from '../../access/audit.ts'
import type { ActionOn } from '../../access/audit-action.ts'
import { badInput, DomainError, refuse } from '../../errors.ts'
import { lockFeed, type FeedRecord } from './feed-record.ts'
import { enableProblems } from './feed-rules.ts'
import type { FeedParts } from '../parts.ts'

/** Lets a draft or a paused feed run. One that failures disabled is enabled with `reenableFeed`. */
export const enableFeed = (parts: FeedParts, actor: Actor, id: bigint): Promise<bigint> =>
  changeStatus(parts, actor, id, {
    action: 'ENABLE_FEED',
    to: 'ENABLED',
    reason: null,
    refuseFrom(record) {
      if (record.feed.status === 'DISABLED')
        throw conflict(
          'The feed was disabled after failures in a row.',
          'Mend what the last run failed with, then use reenableFeed(id, acknowledge: true).',
        )
      refuseIncomplete(record, parts.allowPlainFtp)
    },
  })

/** Stops an enabled feed; a run at work goes on to its end and gets no follow-up. */
export const pauseFeed = (parts: FeedParts, actor: Actor, id: bigint): Promise<bigint> =>
  changeStatus(parts, actor, id, {
    action: 'PAUSE_FEED',
    to: 'PAUSED',
    reason: `Paused by ${actor.name}.`,
    refuseFrom({ feed: { status } }) {
      if (status !== 'ENABLED') throw conflict(`The feed is ${status}: it does not run.`, 'There is nothing to pause.')
    },
  })

/** Lets a feed run again that failures disabled; its failures are counted anew (S2 §11.2). */
export async function reenableFeed(parts: FeedParts, actor: Actor, id: bigint, acknowledge: boolean): Promise<bigint> {
  if (!acknowledge)
    throw badInput([
      {
        field: 'acknowledge',
        message: 'must be true: the feed was disabled after failures in a row.',
        hint: 'Look at its last runs and mend what they failed with first; testFeed tries it.',
      },
    ])
  return changeStatus(parts, actor, id, {
    action: 'REENABLE_FEED',
    to: 'ENABLED',
    reason: null,
    refuseFrom(record) {
      const { status } = record.feed
      if (status !== 'DISABLED') throw conflict(`The feed is ${status}, not DISABLED.`, 'Use enableFeed.')
      refuseIncomplete(record, parts.allowPlainFtp)
    },
  })
}

type StatusChange = {
  action: ActionOn<'Feed'>
  to: FeedStatus
  reason: string | null
  /** Throws where the feed may not become what it is to be. */
  refuseFrom: (record: FeedRecord) => void
}

async function changeStatus(
  { db, log }: FeedParts,
  actor: Actor,
  id: bigint,
  { action, to, reason, refuseFrom }: StatusChange,
): Promise<bigint> {
  const from = await db.$transaction(async (tx) => {
    const record = await lockFeed(tx, id, 'id')
    const { status, consecutiveFailures } = record.feed
    if (status !== to) refuseFrom(record)
    const failures = to === 'ENABLED' ? 0 : consecutiveFailures
    const changes =
      status === to ? {} : changedFields({ status, consecutiveFailures }, { status: to, consecutiveFailures: failures })
    if (status !== to) {
      await tx.feed.update({ where: { id }, data: { consecutiveFailures: failures } })
      await tx.$executeRaw`select freshet.set_feed_status(${id}, ${to}::freshet.feed_status, ${reason})`
    }
    await audit(tx, actor, { action, objectType: 'Feed', objectId: id, changes })
    return status
  })
  if (from !== to) {
    const fields = {
      event: 'FEED_STATUS_CHANGED',
      feedId: id,
      oldStatus: from,
      newStatus: to,
      changedBy: actor.name,
      reason,
    }
    log.info(fields, 'the status of a feed was changed')
  }
  return id
}

const conflict = (message: string, hint: string) => new DomainError('CONFLICT', message, { field: 'id', hint })

function refuseIncomplete({ feed, rhythm, expiryHours }: FeedRecord, allowPlainFtp: boolean): void {
  refuse(enableProblems({ ...feed, cron: rhythm.scheduleCron, expiryHours }, allowPlainFtp))
}
