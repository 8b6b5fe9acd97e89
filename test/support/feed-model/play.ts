import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { expect } from 'vitest'
import type { Offer } from '../../../src/domain/catalogue/offers.ts'
import type { FeedStand } from '../feed-runs.ts'
import { anOffer } from '../offers.ts'
import { aSource } from '../rows.ts'
import { at } from '../moment.ts'
import { compare, type Played } from './compare.ts'
import { aFeedModel, type FeedFile, type FeedModel, type Run } from './model.ts'
import { hourSeconds, isActive } from './rules.ts'
import { aShop } from './shop.ts'
import { readsOf, type Hand } from './stand.ts'
import type { Attempt, History, Step, Wait } from './steps.ts'

/** How often each thing came about in histories, so that one sees what they were about. */
export type Tally = Record<string, number>

/**
 * Plays a history on a feed of its own and on the model, and after each step compares all that can be seen. Throws where they
 * disagree, with the story so far.
 */
export async function playHistory(pool: pg.Pool, hand: Hand, history: History, tally: Tally = {}): Promise<void> {
  const feed = await hand.aFeed(history.settings)
  const model = aFeedModel(history.settings)
  const other = await aSource(pool, feed.retailerId, { kind: 'DIRECT', expiry_hours: 168 })
  await anOffer(pool, other, { at: at(20_000 * hourSeconds) })
  const played: Played = {
    model,
    reads: readsOf(pool, feed),
    sourceId: feed.sourceId,
    runIds: new Map(),
    primary: 'FEED',
    isEligible: true,
  }
  const shop = aShop(history.products)
  const jobs = new Map<Run, { jobId: string; isForced: boolean }>()
  const story = [JSON.stringify(history.settings)]
  const count = (what: string) => void (tally[what] = (tally[what] ?? 0) + 1)
  let now = 0
  let prices: Record<string, unknown> = {}

  /** One attempt at a run, in Postgres and in the model. */
  async function attempt(run: Run | undefined, file: FeedFile, { course, ...how }: Attempt, isForced: boolean) {
    const job = (run && jobs.get(run)) ?? { jobId: randomUUID(), isForced }
    const before = await played.reads.offers(now)
    const id = await hand.attempt(feed, { ...job, file, now, course, ...how })
    const begun = model.begin(run, now)
    jobs.set(begun, job)
    played.runIds.set(begun, id)
    const skip = job.isForced ? undefined : model.unchanged(file)
    if (skip) model.skip(begun, file, skip, now)
    else if (course.end === 'KILLED')
      model.takeIn(begun, { rows: file.rows.slice(0, course.chunks * how.chunkSize), rejected: 0 }, now)
    else {
      model.takeIn(begun, file, now)
      if (course.end === 'JUDGED') model.conclude(begun, file, now)
      else model.fail(begun)
    }
    count(outcomeOf(begun))
    for (const reason of begun.reasons) count(reason)
    if (begun.held.size > 0) count('with held prices')
    return begun.shownAt === undefined && !begun.skipped ? before : undefined
  }

  async function decide(step: Extract<Step, { kind: 'APPROVE' | 'REJECT' }>) {
    const run =
      step.which < 70 ? model.runs.findLast(({ reasons }) => reasons.length > 0) : pick(model.runs, step.which)
    if (!run) return
    const id = played.runIds.get(run)!
    const expected =
      step.kind === 'REJECT' || step.expected === 'NONE'
        ? null
        : model.wouldExpire(run, now) + (step.expected === 'WRONG' ? 1 : 0)
    const refusal = model.refusal(run, now, expected)
    const answer = await (step.kind === 'APPROVE' ? hand.approve(feed, id, expected, now) : hand.reject(feed, id, now))
    expect(answer).toBe(refusal)
    count(`${step.kind} ${refusal ?? 'done'}`)
    if (!refusal) model[step.kind === 'APPROVE' ? 'approve' : 'reject'](run, now)
  }

  async function accept({ which }: { which: number }) {
    const keys = [...model.offers.keys()]
    const held = keys.filter((key) => model.runs.some((run) => run.held.has(key)))
    const key = pick(which < 80 && held.length > 0 ? held : keys, which)
    const id = (await played.reads.known()).find((known) => known.key === key)?.id
    if (!key || !id) return
    const isHeld = model.heldPrice(key) !== undefined
    expect(await hand.accept(feed, id, now)).toBe(isHeld ? null : 'NO_HELD_PRICE')
    count(`ACCEPT_PRICE ${isHeld ? 'done' : 'refused'}`)
    if (isHeld) model.accept(key, now)
  }

  /** Answers what consumers saw before, where they must see the same behind it. */
  async function take(step: Step): Promise<Offer[] | undefined | void> {
    const killed = model.runs.filter(({ status }) => status === 'RUNNING')
    switch (step.kind) {
      case 'RUN':
        return attempt(undefined, shop.serve(step.change, now, step.isTouched), step, step.isForced)
      case 'RETRY': {
        const run = pick(killed, step.which)
        return run && attempt(run, shop.serve(step.change, now, false), step, false)
      }
      case 'REAP': {
        const run = pick(killed, step.which)
        if (!run) return
        await pool.query("select freshet.fail_run($1, null, 'RUN_REAPED', 'Gone.', 'Look.', $2, false)", [
          played.runIds.get(run),
          at(now),
        ])
        return model.fail(run)
      }
      case 'APPROVE':
      case 'REJECT':
        return decide(step)
      case 'ACCEPT_PRICE':
        return accept(step)
      default:
        return change(pool, feed, other, step, played)
    }
  }

  for (const { wait, step } of history.steps) {
    now += Math.max(1, secondsOf(wait, model, now)) // no two things happen at once
    story.push(`${now / hourSeconds} h: ${JSON.stringify(step)}`)
    try {
      const before = await take(step)
      const after = await compare(played, now, nextExpiry(model, now))
      // FAULTS R8, told without the model: a blocked or failed run changes nothing of all that can be read.
      if (before) {
        expect(after.offers).toEqual(before)
        for (const { id } of before) expect(after.prices[String(id)]).toEqual(prices[String(id)])
      }
      ;({ prices } = after)
    } catch (error) {
      throw new Error(`They disagree here:\n${story.join('\n')}\n${(error as Error).message}`, { cause: error })
    }
  }
  // FAULTS R9: what consumers see comes out of history alone.
  const before = await played.reads.offers(now)
  await played.reads.forgetReadSide()
  expect(await played.reads.rebuild(now)).toBeGreaterThanOrEqual(before.filter(isOwn(feed)).length)
  expect(await played.reads.offers(now), 'visible offers that were rebuilt from history').toEqual(before)
}

const isOwn = (feed: FeedStand) => (offer: Offer) => String(offer.sourceId) === feed.sourceId

async function change(
  pool: pg.Pool,
  feed: FeedStand,
  other: string,
  step: Extract<Step, { kind: 'EXPIRY' | 'POLICY' | 'PRIMARY' | 'ELIGIBLE' }>,
  played: Played,
): Promise<void> {
  const { settings } = played.model
  switch (step.kind) {
    case 'EXPIRY':
      settings.expiryHours = step.hours
      await pool.query('update freshet.sources set expiry_hours = $2 where id = $1', [feed.sourceId, step.hours])
      return
    case 'POLICY':
      Object.assign(settings, step.settings)
      await pool.query('update freshet.feeds set block_policy = $2, unchanged_policy = $3 where id = $1', [
        feed.id,
        settings.blockPolicy,
        settings.unchangedPolicy,
      ])
      return
    case 'PRIMARY':
      played.primary = step.source
      if (step.source)
        await pool.query('select freshet.set_display_primary($1)', [step.source === 'FEED' ? feed.sourceId : other])
      else
        await pool.query('update freshet.sources set is_display_primary = false where retailer_id = $1', [
          feed.retailerId,
        ])
      return
    case 'ELIGIBLE':
      played.isEligible = step.isEligible
      await pool.query('update freshet.sources set visibility_status = $2 where id = $1', [
        feed.sourceId,
        step.isEligible ? 'ELIGIBLE' : 'INELIGIBLE',
      ])
  }
}

function secondsOf(wait: Wait, model: FeedModel, now: number): number {
  if ('hours' in wait) return wait.hours * hourSeconds
  return (nextExpiry(model, now) ?? now) + wait.pastNext - now
}

/** The last second of those offers that expire first, or the end of a pending hold, if that is sooner. */
function nextExpiry(model: FeedModel, now: number): number | undefined {
  const { holds, settings } = model
  const ends = [...new Set(model.active(now).map(([, { shownAt }]) => shownAt!))].map((shownAt) => {
    let [lives, gone] = [now, now + 1_000 * hourSeconds]
    while (gone - lives > 1) {
      const middle = Math.floor((lives + gone) / 2)
      if (isActive(shownAt, middle, settings.expiryHours, holds)) lives = middle
      else gone = middle
    }
    return lives
  })
  const pending = holds.filter(({ endedAt, until }) => endedAt === undefined && until > now).map(({ until }) => until)
  return [...ends, ...pending].toSorted((one, other) => one - other)[0]
}

const pick = <Value>(values: Value[], which: number): Value | undefined => values[which % values.length]

function outcomeOf({ status, skipped, reasons, shownAt }: Run): string {
  if (status !== 'SUCCEEDED') return status === 'FAILED' ? 'failed' : 'killed'
  if (skipped) return skipped
  if (reasons.length === 0) return 'promoted'
  return shownAt === undefined ? 'blocked' : 'removals held'
}
