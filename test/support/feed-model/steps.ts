import * as fc from 'fast-check'
import type { FeedSettings } from './model.ts'

/** How a file differs from what the shop's catalogue says; numbers count products, chosen from `from` on. */
export type Change = {
  from: number
  /** Left out of this file. */
  lost: number
  /** New in the shop. */
  added: number
  prices: { count: number; factor: number } | null
  currencies: number
  titles: number
  stock: number
  originals: number
  /** Known by their address alone in this file. */
  byAddress: number
  /** Said twice, first with another price. */
  twice: number
  rejected: number
  /** Whether the next files say the same: a price that jumped is repeated, or not. */
  isLasting: boolean
}

/** How an attempt goes: to its end, to a failure, or until it is killed behind so many chunks. */
export type Course = { end: 'JUDGED' } | { end: 'FAILED' } | { end: 'KILLED'; chunks: number }

type Chosen = { which: number }
export type Step =
  /** A run of a changed file; null: of the same as before, as new on the server or not. */
  | ({ kind: 'RUN'; change: Change | null; isTouched: boolean; isForced: boolean } & Attempt)
  /** The next attempt at a run that was killed. */
  | ({ kind: 'RETRY'; change: Change | null } & Chosen & Attempt)
  /** Nobody tries the killed run again: it is failed from outside. */
  | ({ kind: 'REAP' } & Chosen)
  | ({ kind: 'APPROVE'; expected: 'NONE' | 'RIGHT' | 'WRONG' } & Chosen)
  | ({ kind: 'REJECT' } & Chosen)
  | ({ kind: 'ACCEPT_PRICE' } & Chosen)
  | { kind: 'EXPIRY'; hours: number }
  | { kind: 'POLICY'; settings: Pick<FeedSettings, 'blockPolicy' | 'unchangedPolicy'> }
  | { kind: 'PRIMARY'; source: 'FEED' | 'OTHER' | null }
  | { kind: 'ELIGIBLE'; isEligible: boolean }
export type Attempt = { course: Course; chunkSize: number; isProbed: boolean }

/** How much time goes by before a step: hours, or until so many seconds behind the next moment at which something expires. */
export type Wait = { hours: number } | { pastNext: number }
export type History = { settings: FeedSettings; products: number; steps: { wait: Wait; step: Step }[] }

/** Mostly nothing, sometimes a few, and rarely what a breaker looks at. */
const some = (few: number, many: number) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: few }) },
    { weight: 1, arbitrary: fc.integer({ min: few, max: many }) },
  )
const kind = <Kind extends string>(name: Kind) => fc.constant(name)
const one = <Value extends string>(...values: Value[]) => fc.constantFrom(...values)
/** Most decisions are about the newest that there is; below 70 stands for that. */
const which = fc.nat(99)
const factor = fc.constantFrom(0.01, 0.09, 0.1, 0.49, 0.5, 0.8, 1.2, 2, 2.01, 9, 10, 10.01, 100)
const farFactor = fc.constantFrom(0.01, 0.09, 10.01, 100)

const usual = {
  from: fc.nat(40),
  lost: some(5, 16),
  added: some(3, 12),
  prices: fc.option(fc.record({ count: some(4, 30), factor })),
  currencies: some(1, 12),
  titles: some(3, 40),
  stock: some(3, 40),
  originals: some(3, 40),
  byAddress: some(3, 40),
  twice: some(2, 20),
  rejected: some(5, 80),
  isLasting: fc.boolean(),
}
const usualChange: fc.Arbitrary<Change> = fc.record(usual)
/** One that a breaker stops, as a rule. */
const harshChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ ...usual, lost: fc.integer({ min: 9, max: 16 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ ...usual, prices: fc.record({ count: fc.integer({ min: 6, max: 40 }), factor }) }),
  },
  { weight: 1, arbitrary: fc.record({ ...usual, rejected: fc.integer({ min: 15, max: 80 }) }) },
  { weight: 1, arbitrary: fc.record({ ...usual, byAddress: fc.integer({ min: 8, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ ...usual, lost: fc.constant(99), added: fc.constant(0) }) },
)
/** A few prices jump. */
const jump: fc.Arbitrary<Change> = fc.record({
  ...usual,
  prices: fc.record({ count: fc.integer({ min: 1, max: 4 }), factor: farFactor }),
})

const judged = fc.constant<Course>({ end: 'JUDGED' })
const failed = fc.constant<Course>({ end: 'FAILED' })
const killed = fc.record({ end: kind('KILLED'), chunks: fc.nat(3) })
const course: fc.Arbitrary<Course> = fc.oneof(
  { weight: 6, arbitrary: judged },
  { weight: 1, arbitrary: failed },
  { weight: 1, arbitrary: killed },
)
const how = { chunkSize: fc.integer({ min: 9, max: 60 }), isProbed: fc.boolean() }
const runOf = (change: fc.Arbitrary<Change | null>, course: fc.Arbitrary<Course>): fc.Arbitrary<Step> =>
  fc.record({ kind: kind('RUN'), change, isTouched: fc.boolean(), isForced: fc.boolean(), course, ...how })
const changeOrNull: fc.Arbitrary<Change | null> = fc.option(usualChange, { freq: 5 })
const run = runOf(changeOrNull, course)
const same = runOf(fc.constant(null), judged)
const approve: fc.Arbitrary<Step> = fc.record({
  kind: kind('APPROVE'),
  expected: one('NONE', 'RIGHT', 'RIGHT', 'WRONG'),
  which,
})
const reject: fc.Arbitrary<Step> = fc.record({ kind: kind('REJECT'), which })
const accept: fc.Arbitrary<Step> = fc.record({ kind: kind('ACCEPT_PRICE'), which })
const retry: fc.Arbitrary<Step> = fc.record({
  kind: kind('RETRY'),
  change: changeOrNull,
  which,
  course,
  ...how,
})
const reap: fc.Arbitrary<Step> = fc.record({ kind: kind('REAP'), which })
const setting: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: kind('EXPIRY'), hours: fc.constantFrom(1, 6, 24, 48, 168) }),
  fc.record({
    kind: kind('POLICY'),
    settings: fc.record({ blockPolicy: one('HOLD_ALL', 'HOLD_REMOVALS'), unchangedPolicy: one('KEEP', 'REFRESH') }),
  }),
  fc.record({
    kind: kind('PRIMARY'),
    source: fc.constantFrom<('FEED' | 'OTHER' | null)[]>('FEED', 'FEED', 'OTHER', null),
  }),
  fc.record({ kind: kind('ELIGIBLE'), isEligible: fc.constantFrom(true, true, false) }),
)

const wait: fc.Arbitrary<Wait> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ hours: fc.constantFrom(0, 1, 2, 4) }) },
  { weight: 2, arbitrary: fc.record({ hours: fc.integer({ min: 0, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ hours: fc.integer({ min: 30, max: 240 }) }) },
  { weight: 1, arbitrary: fc.record({ pastNext: fc.integer({ min: -1, max: 1 }) }) },
)

type Timed = { wait: Wait; step: Step }
/** A few steps that follow each other, as they do in life; `maybe` leaves one out now and then. */
const scene = (...steps: fc.Arbitrary<Step | null>[]): fc.Arbitrary<Timed[]> =>
  fc
    .tuple(...steps.map((step) => fc.record({ wait, step })))
    .map((timed) => timed.filter((each): each is Timed => each.step !== null))
const maybe = (step: fc.Arbitrary<Step>) => fc.option(step, { freq: 2 })
const decision = fc.oneof({ weight: 2, arbitrary: approve }, { weight: 1, arbitrary: reject })

const scenes = fc.oneof(
  { weight: 3, arbitrary: scene(run) },
  { weight: 4, arbitrary: scene(runOf(harshChange, judged), maybe(fc.oneof(run, same, accept)), maybe(decision)) },
  { weight: 3, arbitrary: scene(runOf(jump, judged), fc.oneof(run, same, accept), maybe(accept)) },
  { weight: 1, arbitrary: scene(runOf(jump, judged), runOf(harshChange, judged), accept, maybe(approve)) },
  {
    weight: 3,
    arbitrary: scene(
      runOf(usualChange, killed),
      maybe(fc.oneof(run, runOf(harshChange, judged))),
      fc.oneof(retry, retry, reap),
      maybe(approve),
    ),
  },
  { weight: 2, arbitrary: scene(same) },
  { weight: 1, arbitrary: scene(setting) },
  { weight: 1, arbitrary: scene(decision) },
)

export const histories: fc.Arbitrary<History> = fc.record({
  settings: fc.record({
    expiryHours: fc.constantFrom(6, 24, 48, 48, 168),
    holdHours: fc.constantFrom(24, 72, 168),
    heartbeatHours: fc.constantFrom(1, 24, 24, 720),
    blockPolicy: one('HOLD_ALL', 'HOLD_ALL', 'HOLD_REMOVALS'),
    unchangedPolicy: one('KEEP', 'REFRESH'),
  }),
  products: fc.integer({ min: 22, max: 32 }),
  steps: fc
    .tuple(scene(runOf(fc.constant(null), judged)), fc.array(scenes, { minLength: 3, maxLength: 7, size: 'max' }))
    .map(([first, rest]) => [...first, ...rest.flat()]),
})
