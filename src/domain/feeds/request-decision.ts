import type { Db, Tx } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit, type AuditRecord } from '../access/audit.ts'
import { errorCodes, type ErrorCode } from '../error-codes.ts'
import { DomainError, notFound } from '../errors.ts'
import { check, text } from '../input.ts'
import { enqueue } from '../queue/enqueue.ts'
import type { JobPlace } from '../queue/operate.ts'
import { runLockClass } from '../runs/run.ts'
import { awaitOutcome, checkWait, type Outcome } from './await-outcome.ts'
import type { Decision } from './decide.ts'
import { decisionJob } from './feed-jobs.ts'
import type { FeedParts } from './parts.ts'

/** Asks for a blocked run to be shown after all (S2 §8.7). The approval covers the number that the operator was shown. */
export async function approveActivation(
  parts: FeedParts,
  actor: Actor,
  runId: bigint,
  { expectedWouldExpire: expected, waitSeconds }: { expectedWouldExpire: number | null; waitSeconds: number },
): Promise<Outcome> {
  checkWait(waitSeconds)
  return decideRun(parts, actor, runId, expected, waitSeconds, {
    decision: { kind: 'APPROVE', runId: String(runId), expected },
    record: { action: 'APPROVE_ACTIVATION', changes: { expectedWouldExpire: { to: expected } } },
  })
}

/** Asks for a blocked run to be given up: what it saw is never shown. */
export async function rejectActivation(
  parts: FeedParts,
  actor: Actor,
  runId: bigint,
  given: { reason: string; waitSeconds: number },
): Promise<Outcome> {
  checkWait(given.waitSeconds)
  const reason = check(text(1000), given.reason, 'reason')
  return decideRun(parts, actor, runId, null, given.waitSeconds, {
    decision: { kind: 'REJECT', runId: String(runId), reason },
    record: { action: 'REJECT_ACTIVATION', changes: { reason: { to: reason } } },
  })
}

/** Asks for the price of an offer that was held back as implausible to be taken for true, at once (RULINGS 19). */
export async function acceptPrice(
  parts: FeedParts,
  actor: Actor,
  offerId: bigint,
  { waitSeconds }: { waitSeconds: number },
): Promise<Outcome> {
  checkWait(waitSeconds)
  const { db } = parts
  const offer = await db.offer.findUnique({ where: { id: offerId }, select: { source: { select: { feed: true } } } })
  const feed = offer?.source.feed
  if (!feed) throw notFound('offer', 'offerId')
  await refuseBusy(db, feed.id, 'offerId')
  const held = await db.price.findFirst({ where: { offerId, isHeld: true }, select: { id: true } })
  if (!held) throw new DomainError('NO_HELD_PRICE', 'No price of this offer is held back.', { field: 'offerId' })
  const job = await db.$transaction(async (tx) => {
    const place = await put(tx, actor, { kind: 'ACCEPT_PRICE', feedId: String(feed.id), offerId: String(offerId) })
    const changes = { job: { to: place.id } }
    await audit(tx, actor, { action: 'ACCEPT_PRICE', objectType: 'Offer', objectId: offerId, changes })
    return place
  })
  return awaitOutcome(parts, job, waitSeconds, 'offerId')
}

type WithoutFeed<Of> = Of extends unknown ? Omit<Of, 'feedId'> : never
type Plan = { decision: WithoutFeed<Decision>; record: Pick<AuditRecord<'FeedRun'>, 'action' | 'changes'> }

async function decideRun(
  parts: FeedParts,
  actor: Actor,
  runId: bigint,
  expected: number | null,
  waitSeconds: number,
  { decision, record }: Plan,
): Promise<Outcome> {
  const { db, log } = parts
  const feedId = await refuseDecision(parts, runId, expected).catch((error: unknown) => {
    const reason = error instanceof DomainError ? error.code : undefined
    const fields = { event: 'ACTIVATION_APPROVAL_REJECTED', runId, reason, requestedBy: actor.name }
    if (reason && decision.kind === 'APPROVE') log.warn(fields, 'an approval was refused')
    throw error
  })
  const job = await db.$transaction(async (tx) => {
    const place = await put(tx, actor, { ...decision, feedId: String(feedId) })
    const changes = { ...record.changes, job: { to: place.id } }
    await audit(tx, actor, { action: record.action, objectType: 'FeedRun', objectId: runId, changes })
    return place
  })
  return awaitOutcome(parts, job, waitSeconds, 'runId')
}

/** Refuses what could not be carried out, in the order of RULINGS 21; the worker looks again under the lock. Answers the feed. */
async function refuseDecision({ db, now }: FeedParts, runId: bigint, expected: number | null): Promise<bigint> {
  const run = await db.feedRun.findUnique({ where: { runId }, select: { feedId: true } })
  if (!run?.feedId) throw refusal('RUN_NOT_FOUND')
  await refuseBusy(db, run.feedId, 'runId')
  const refused = 'select freshet.decision_refusal($1, $2, $3) as code'
  const [row] = await queryRows<{ code: ErrorCode | null }>(db, refused, [runId, expected, now()])
  if (row?.code) throw refusal(row.code)
  return run.feedId
}

async function refuseBusy(db: Db, feedId: bigint, field: string): Promise<void> {
  // Who watches a run's end may decide in the moment before its connection is closed, or while another decision is carried out:
  // the worker waits for both.
  const atWork = `select freshet.run_lock_holder($1, $2, null) = 'OTHER' as "isBusy"`
  const [row] = await queryRows<{ isBusy: boolean }>(db, atWork, [runLockClass.feed, Number(feedId)])
  if (row?.isBusy) throw refusal('FEED_BUSY', field)
}

const refusal = (code: ErrorCode, field = 'runId') => new DomainError(code, errorCodes[code].meaning, { field })

/** A decision for each time it was asked for: the second of two finds under the lock that the first was carried out. */
async function put(tx: Tx, { name, keyId, requestId }: Actor, decision: Decision): Promise<JobPlace> {
  const by = { name, keyId: keyId === null ? null : String(keyId), requestId }
  const id = await enqueue(tx, decisionJob, { decision, by })
  if (!id) throw new Error('The queue feed-decide took a decision and gave it no job.')
  return { queue: decisionJob.name, id }
}
