import { afterAll, expect, test } from 'vitest'
import { seededRandom } from '../faults/seed.ts'
import { startTestApp } from '../support/app.ts'
import { faultsOf, proveExactlyOnce } from '../support/event-proof.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())

test('issue 4 §3: writers that commit in random order, a subscriber cut off at random: every event exactly once, in order', async () => {
  const random = seededRandom('writers and cuts', 4)
  const proof = await proveExactlyOnce(app, { writers: 8, eventsEach: 25, cuts: 30, random })
  expect(faultsOf(proof)).toEqual({ received: 200, lost: 0, twice: 0 })
  expect(proof.cuts).toBeGreaterThanOrEqual(20)
})
