import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { playHistory, type Tally } from '../../support/feed-model/play.ts'
import { sqlHand } from '../../support/feed-model/sql-hand.ts'
import { histories } from '../../support/feed-model/steps.ts'
import { openFeedRuns } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

// Another seed tries others: FRESHET_TEST_SEED=1 npx vitest run test/sql/feeds/histories.test.ts
const seed = Number(process.env.FRESHET_TEST_SEED ?? 8_009)
const numRuns = Number(process.env.FRESHET_TEST_HISTORIES ?? 25)
console.log(`${numRuns} histories of feeds are compared with the model, with seed ${seed}.`)

test('FAULTS R8, R9: after each step of a random history a feed shows what the model shows', async () => {
  const tally: Tally = {}
  const property = fc.asyncProperty(histories, (history) => playHistory(database.pool, sqlHand(feeds), history, tally))
  await fc.assert(property, { seed, numRuns, interruptAfterTimeLimit: 280_000, markInterruptAsFailure: true })
  const rare = [
    'blocked',
    'removals held',
    'killed',
    'with held prices',
    'APPROVE done',
    'REJECT done',
    'ACCEPT_PRICE done',
  ]
  expect(Object.keys(tally)).toEqual(expect.arrayContaining(['promoted', 'failed', 'UNCHANGED_HASH', ...rare]))
}, 300_000)
