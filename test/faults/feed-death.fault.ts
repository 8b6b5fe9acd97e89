import { afterAll, expect, test } from 'vitest'
import { makeFeedBase } from '../support/feed-base.ts'
import { openDeaths, type Point } from '../support/feed-death.ts'
import { leavingsThatDiffer } from '../support/feed-leavings.ts'
import { report, seededRandom } from './seed.ts'

// Two hundred, as R1 has it; fewer for a look in passing.
const points = Number(process.env.FRESHET_FAULT_POINTS ?? 200)
const base = await makeFeedBase(20_000, 2_000)
afterAll(() => base[Symbol.asyncDispose]())
const deaths = await openDeaths(base)
afterAll(() => deaths[Symbol.asyncDispose]())

const secondsSince = (begun: number) => Math.round((performance.now() - begun) / 1_000)

test('R1: a worker is killed at 200 points of a run of 20,000 rows, and another one goes on', async () => {
  const random = seededRandom('R1', 1)
  const { leavings, steps } = await deaths.undisturbed()
  const size = base.files.third.length
  const begun = performance.now()
  const figures = { points: 0, unequal: 0, runs: 0, leaked: 0, files: 0, unfinished: 0 }
  const stages: Record<string, number> = {}
  for (let point = 0; point < points; point++) {
    // One in ten dies in the download, the others spread evenly over the talk with Postgres: held back there, or a little later,
    // when the worker reads, unpacks or waits.
    const share = (Math.floor(point / 10) * 9 + (point % 10) - 1 + random()) / (points * 0.9)
    const number = 1 + Math.floor(Math.min(share, 0.999) * steps.length)
    const wire = { at: 'wire' as const, is: (step: { number: number }) => step.number === number }
    const where: Point =
      point % 10 === 0
        ? { at: 'download', bytes: Math.floor(random() * size) }
        : { ...wire, ...(random() < 0.5 && { afterMs: random() * 20 }) }
    const death = await deaths.die(where)
    figures.points++
    const stage = death.status === 'RUNNING' ? (death.stage ?? 'BEGIN') : (death.status ?? 'BEFORE')
    stages[stage] = (stages[stage] ?? 0) + 1
    const unequal = leavingsThatDiffer(death.leavings, leavings)
    if (unequal.length > 0) {
      figures.unequal++
      report('R1 unequal', { point, where: steps[number - 1], stage, unequal })
    }
    if (death.runs !== 3) figures.runs++
    if (death.remains.length > 0) figures.leaked++
    if (death.filesLeft.length > 0) figures.files++
    if (death.jobState !== 'completed') figures.unfinished++
    if (figures.points % 50 === 0) report('R1 so far', { ...figures, seconds: secondsSince(begun) })
  }
  report('R1', { ...figures, stages, steps: steps.length, seconds: secondsSince(begun) })
  expect(figures).toEqual({ points, unequal: 0, runs: 0, leaked: 0, files: 0, unfinished: 0 })
}, 5_400_000)
