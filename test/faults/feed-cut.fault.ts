import { afterAll, expect, test } from 'vitest'
import { makeFeedBase, openAttempts, remainsOf } from '../support/feed-base.ts'
import { leavingsOf, leavingsThatDiffer, type Leavings } from '../support/feed-leavings.ts'
import { startWire, type Step } from '../support/wire.ts'
import { report, seededRandom } from './seed.ts'

const points = Number(process.env.FRESHET_FAULT_POINTS ?? 100)
const base = await makeFeedBase(20_000, 2_000)
afterAll(() => base[Symbol.asyncDispose]())
const { feed } = base
const first = await base.copy()
const wire = await startWire(first.url)
await first[Symbol.asyncDispose]()
afterAll(() => wire[Symbol.asyncDispose]())

/** What an undisturbed run of the file that is served leaves, and the steps of its talk with Postgres. */
async function undisturbed(): Promise<{ leavings: Leavings; steps: Step[] }> {
  await using database = await base.copy()
  await using attempts = await openAttempts(database, base)
  const steps: Step[] = []
  wire.watch((step) => {
    steps.push(step)
    return 'PASS'
  })
  const { outcome } = await attempts.attempt(feed, { directUrl: wire.through(database.url) })
  wire.watch(undefined)
  expect(outcome.kind).toBe('done')
  return { leavings: await leavingsOf(database.pool, feed.sourceId), steps }
}

type Cut = {
  /** The step at which the run's connection is terminated. */
  number: number
  /** Whether that step is held back; else the run goes on until it hears of its end. */
  isHeld: boolean
  between?: () => void
}

/** Cuts the connection of a run, and lets another worker go on; tells what was written meanwhile, and what is left at the end. */
async function cut({ number, isHeld, between }: Cut) {
  await using database = await base.copy()
  await using attempts = await openAttempts(database, base)
  const { pool } = database
  const directUrl = wire.through(database.url)
  const own =
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and application_name like 'freshet:run:%'"
  const { promise: isCut, resolve: cutNow } = Promise.withResolvers<unknown>()
  let isMet = false
  wire.watch((step) => {
    if (isMet || step.number < number) return 'PASS'
    isMet = true
    cutNow(pool.query(own))
    return isHeld ? 'HOLD' : 'PASS'
  })
  const left = () => leavingsOf(pool, feed.sourceId)
  const attempting = attempts.attempt(feed, { directUrl })
  await isCut // it is gone, and with it whatever it had not committed
  const before = await left()
  const { jobId, outcome } = await attempting
  const again = await left()
  between?.()
  let startMs = 0
  const restartedAt = performance.now()
  wire.watch((step) => {
    if (step.side === 'answered' && step.what.startsWith('-- Starts the run')) startMs = performance.now() - restartedAt
    return 'PASS'
  })
  const retry = await attempts.attempt(feed, { jobId, directUrl })
  wire.watch(undefined)
  return {
    first: outcome.kind,
    second: retry.outcome.kind,
    startMs: Math.round(startMs),
    writtenAfterwards: leavingsThatDiffer(again, before),
    leavings: await left(),
    remains: await remainsOf(database),
    files: await attempts.filesLeft(),
  }
}

test('R3: the connection of a feed run is cut at 100 points', async () => {
  const random = seededRandom('R3 of feeds', 33)
  const { leavings, steps } = await undisturbed()
  const begun = performance.now()
  const figures = { points: 0, writtenAfterwards: 0, unequal: 0, leaked: 0, lost: 0 }
  let slowestStartMs = 0
  for (let point = 0; point < points; point++) {
    const number = 2 + Math.floor(((point + random()) / points) * (steps.length - 2))
    const end = await cut({ number, isHeld: random() < 0.5 })
    figures.points++
    slowestStartMs = Math.max(slowestStartMs, end.startMs)
    if (end.first === 'retried') figures.lost++
    if (end.writtenAfterwards.length > 0) figures.writtenAfterwards++
    const unequal = leavingsThatDiffer(end.leavings, leavings)
    if (unequal.length > 0 || end.second !== 'done') {
      figures.unequal++
      report('R3 unequal', { where: steps[number - 1], ...end, leavings: unequal })
    }
    if (end.remains.length + end.files.length > 0) figures.leaked++
  }
  report('R3 of feeds', { ...figures, slowestStartMs, seconds: Math.round((performance.now() - begun) / 1_000) })
  expect(figures).toMatchObject({ points, writtenAfterwards: 0, unequal: 0, leaked: 0 })
  expect(figures.lost).toBeGreaterThan(points * 0.9)
  expect(slowestStartMs).toBeLessThan(5_000)
}, 3_600_000)

test('R11: the file changes between an attempt and its retry: nothing is left that only the first one knew', async () => {
  const random = seededRandom('R11', 11)
  const { third, other } = base.files
  const { steps } = await undisturbed()
  base.serve(other, 3_600_000)
  const { leavings } = await undisturbed()
  // Up to the end of the parsing: behind it the run may have ended as that of the first file, and is not begun anew.
  const judged = steps.findIndex(({ what }) => what.startsWith('-- Judges the run'))
  const figures = { points: 0, unequal: 0 }
  for (let point = 0; point < Math.min(points, 20); point++) {
    base.serve(third)
    const number = 2 + Math.floor(((point + random()) / 20) * (judged - 2))
    const end = await cut({ number, isHeld: true, between: () => base.serve(other, 3_600_000) })
    figures.points++
    const unequal = leavingsThatDiffer(end.leavings, leavings)
    if (unequal.length > 0) {
      figures.unequal++
      report('R11 unequal', { where: steps[number - 1], unequal })
    }
  }
  base.serve(third)
  report('R11', figures)
  expect(figures.unequal).toBe(0)
}, 3_600_000)
