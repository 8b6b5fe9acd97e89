import type { Pool } from '../../db/pool.ts'
import { connectRun, decisionConnectionName, takeRunLock } from '../../db/run-lock.ts'
import { workWatched } from '../../db/run-watch.ts'
import { queryRows, type Connection } from '../../db/sql.ts'
import { transact } from '../../db/transaction.ts'
import type { Log } from '../../log.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { runLockClass } from '../runs/run.ts'
import { sqlRefusal } from '../sql-codes.ts'

/** What an operator decides about a feed: whether a blocked run is shown or given up, or that a held price is true. */
export type Decision = { feedId: string } & (
  | { kind: 'APPROVE'; runId: string; expected: number | null }
  | { kind: 'REJECT'; runId: string; reason: string }
  | { kind: 'ACCEPT_PRICE'; offerId: string }
)

/** What came of it: a code of RULINGS 21, or how many offers are shown now. */
export type DecisionResult = { refusal: string } | { refusal: null; promoted: number | null }

type Occasion = {
  pool: Pool
  directUrl: string
  jobId: string
  isRepeated: boolean
  /** Aborted when the job is no longer this attempt's. */
  signal: AbortSignal
  now: () => Date
  log: Log
}

/**
 * Carries a decision out under the feed's lock, so that no run goes on meanwhile, in one transaction with its record (S2 §8.7).
 * What is refused is answered, not thrown. A repeated attempt whose first one was kept finds its work done.
 */
export async function decide(decision: Decision, actor: Actor, occasion: Occasion): Promise<DecisionResult> {
  const { directUrl, jobId, isRepeated, log } = occasion
  // Showing a large catalogue takes longer than the pool lets a statement run.
  await using connection = await connectRun(directUrl, jobId, log, decisionConnectionName(jobId))
  const { client } = connection
  const lock = { lockClass: runLockClass.feed, lockId: Number(decision.feedId) }
  const work = async () => {
    if (!(await takeRunLock(connection, lock))) return { refusal: 'FEED_BUSY' }
    const promoted = await transact(client, () => carryOut(client, decision, { ...occasion, actor }))
    return { refusal: null, promoted }
  }
  try {
    return await workWatched(connection, occasion, work)
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    if (isRepeated && done[decision.kind] === refusal) return { refusal: null, promoted: null }
    log.warn({ event: 'ACTIVATION_APPROVAL_REJECTED', ...decision, reason: refusal }, 'a decision was refused')
    return { refusal }
  }
}

const done: Record<Decision['kind'], string> = {
  APPROVE: 'ALREADY_APPROVED',
  REJECT: 'ALREADY_REJECTED',
  ACCEPT_PRICE: 'NO_HELD_PRICE',
}

type Kind<Name extends Decision['kind']> = Extract<Decision, { kind: Name }>
type By = Pick<Occasion, 'now' | 'log'> & { actor: Actor }

function carryOut(client: Connection, decision: Decision, by: By): Promise<number | null> {
  if (decision.kind === 'APPROVE') return approve(client, decision, by)
  return decision.kind === 'REJECT' ? reject(client, decision, by) : accept(client, decision, by)
}

async function approve(client: Connection, { runId, feedId, expected }: Kind<'APPROVE'>, { actor, now, log }: By) {
  const statement = 'select freshet.approve_activation($1, $2, $3, $4) as promoted'
  const [answer] = await queryRows<{ promoted: number }>(client, statement, [runId, actor.name, expected, now()])
  const promoted = answer?.promoted ?? 0
  const changes = { promoted: { to: promoted }, feed: { to: feedId } }
  await audit(client, actor, { action: 'ACTIVATION_APPROVED', objectType: 'FeedRun', objectId: runId, changes })
  log.info(
    { event: 'ACTIVATION_APPROVED', feedId, runId, approvedBy: actor.name, productsPromoted: promoted },
    'approved',
  )
  return promoted
}

async function reject(client: Connection, { runId, feedId, reason }: Kind<'REJECT'>, { actor, now, log }: By) {
  await queryRows(client, 'select freshet.reject_activation($1, $2, $3, $4)', [runId, actor.name, reason, now()])
  const changes = { reason: { to: reason }, feed: { to: feedId } }
  await audit(client, actor, { action: 'ACTIVATION_REJECTED', objectType: 'FeedRun', objectId: runId, changes })
  log.info({ event: 'ACTIVATION_REJECTED', feedId, runId, rejectedBy: actor.name }, 'rejected')
  return null
}

async function accept(client: Connection, { offerId }: Kind<'ACCEPT_PRICE'>, { actor, now }: By) {
  const statement = 'select freshet.accept_price($1, $2)::text as "priceId"'
  const [answer] = await queryRows<{ priceId: string }>(client, statement, [offerId, now()])
  const changes = { price: { to: answer?.priceId } }
  await audit(client, actor, { action: 'PRICE_ACCEPTED', objectType: 'Offer', objectId: offerId, changes })
  return null
}

/** What our SQL refused, as the code that clients know. */
function refusalOf(error: unknown): string | undefined {
  const refusal = sqlRefusal(error)
  if (refusal?.code === 'FR052') return 'NO_HELD_PRICE'
  return refusal?.code === 'FR051' ? (error as { detail?: string }).detail : undefined
}
