import { afterAll, expect, test } from 'vitest'
import { makeFeedBase } from '../support/feed-base.ts'
import { openDeaths } from '../support/feed-death.ts'

// FAULTS R1 at a few forced points; `npm run test:faults` does it at two hundred.
const base = await makeFeedBase(300, 100)
afterAll(() => base[Symbol.asyncDispose]())
const deaths = await openDeaths(base)
afterAll(() => deaths[Symbol.asyncDispose]())
const { leavings, steps } = await deaths.undisturbed()
const numberOf = (what: string, nth = 0) => steps.filter((step) => step.what.startsWith(what)).at(nth)!.number

test.each([
  ['in the middle of a chunk', numberOf('copy data', 2), 'PARSE', 'RUNNING'],
  [
    'after the commit that ends the run, before it or its queue hears of that',
    numberOf('commit', -1),
    'PROMOTE',
    'SUCCEEDED',
  ],
])(
  'FAULTS R1: a worker that is killed %s leaves a run that another one brings to the same end',
  async (_when, number, stage, status) => {
    const death = await deaths.die({ at: 'wire', is: (step) => step.number === number })
    expect(death).toEqual({
      stage,
      status,
      leavings,
      runs: 3,
      jobState: 'completed',
      remains: [],
      filesLeft: [],
      attempts: 1,
    })
  },
)

test('FAULTS R1: a worker that is killed as it downloads leaves no file, and another one takes it in', async () => {
  const death = await deaths.die({ at: 'download', bytes: 0 })
  expect(death).toMatchObject({ stage: 'DOWNLOAD', status: 'RUNNING', leavings, remains: [], filesLeft: [] })
})
