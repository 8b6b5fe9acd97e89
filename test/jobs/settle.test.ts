import { TestClock } from 'pg-boss'
import { expect, test } from 'vitest'
import type { Pool } from '../../src/db/pool.ts'
import { advance } from '../support/jobs.ts'
import type { Claim } from '../../src/jobs/kit/attempt.ts'
import { settle } from '../../src/jobs/kit/settle.ts'

const coded = (code: string) => Object.assign(new Error('no'), { code })

/** Puts a job back over connections that fail so, the last time well; answers how often that was tried. */
async function triesUntil(failures: Error[], signal = new AbortController().signal) {
  const clock = new TestClock()
  let tries = 0
  const query = async () => {
    const failure = failures[tries++]
    if (failure) throw failure
    return { rows: [{ is_ours: true }] }
  }
  const claim = { id: 'one', name: 'trial', retryCount: 0, signal } as Claim
  const settled = settle({ query } as unknown as Pool, clock, claim, { kind: 'handed-back' })
  const ended = settled.then(
    () => 'written',
    (error: unknown) => error,
  )
  for (let count = 0; count < failures.length; count++) {
    await new Promise(setImmediate)
    await advance(clock, 10)
  }
  return { tries, ended: await ended }
}

test.each([
  ['no connection', coded('ECONNREFUSED')],
  ['a shutdown of Postgres', coded('57P01')],
  ['a full disk', coded('53100')],
  ['a statement that took too long', coded('57014')],
  ['a deadlock', coded('40P01')],
  ['a connection that broke', new Error('Connection terminated unexpectedly')],
])('the end of an attempt is written again after %s', async (_name, failure) => {
  expect(await triesUntil([failure, failure])).toEqual({ tries: 3, ended: 'written' })
})

test('the end of an attempt whose job was taken away is not written again', async () => {
  const outage = coded('57P01')
  expect(await triesUntil([outage, outage], AbortSignal.abort())).toEqual({ tries: 1, ended: 'written' })
})

test.each([
  ['a fault of ours', new TypeError('x is not a function')],
  ['a statement that Postgres refuses', coded('42883')],
])('%s is told at once: trying again cannot help', async (_name, failure) => {
  expect(await triesUntil([failure])).toEqual({ tries: 1, ended: failure })
})
