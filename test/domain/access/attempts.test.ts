import { expect, test } from 'vitest'
import { createAttempts } from '../../../src/domain/access/attempts.ts'

/** Attempts on a clock of their own, and a count of the look-ups that were made. */
function setup() {
  let ms = 0
  let lookups = 0
  const attempts = createAttempts(() => ms)
  const look = (found: string | undefined) => async () => (lookups++, found)
  return {
    pass: (seconds: number) => (ms += seconds * 1000),
    wrong: async (address = 'a', key = 'wrong') => (await attempts.attempt(address, key, look(undefined))).waitSeconds,
    right: async (address = 'a', key = 'right') => attempts.attempt(address, key, look('actor')),
    attempts,
    lookups: () => lookups,
  }
}

const letIn = { waitSeconds: 0, found: 'actor' }

test('ten wrong keys from an address are looked up, the eleventh is not', async () => {
  const { wrong, lookups } = setup()
  for (let index = 0; index < 10; index++) expect(await wrong()).toBe(0)
  expect(await wrong()).toBe(60)
  expect(lookups()).toBe(10)
})

test('the window slides: each failure counts for a minute', async () => {
  const { wrong, pass, lookups } = setup()
  await wrong()
  pass(30)
  for (let index = 0; index < 9; index++) await wrong()
  expect(await wrong()).toBe(30)
  pass(29.5)
  expect(await wrong()).toBe(1)
  pass(0.5)
  expect(await wrong()).toBe(0)
  expect(await wrong()).toBe(30)
  expect(lookups()).toBe(11)
})

test('attempts that were turned away do not prolong the wait', async () => {
  const { wrong, pass } = setup()
  for (let index = 0; index < 10; index++) await wrong()
  for (let index = 0; index < 50; index++) await wrong()
  pass(60)
  expect(await wrong()).toBe(0)
})

test('other addresses are not affected', async () => {
  const { wrong, right } = setup()
  for (let index = 0; index < 11; index++) await wrong('a')
  expect(await wrong('b')).toBe(0)
  expect(await right('c')).toEqual(letIn)
})

test('a right key that was used before passes from a blocked address, one never seen waits', async () => {
  const { wrong, right } = setup()
  expect(await right('elsewhere', 'known')).toEqual(letIn)
  for (let index = 0; index < 10; index++) await wrong('a', `wrong ${index}`)
  expect(await right('a', 'known')).toEqual(letIn)
  expect(await right('a', 'new')).toEqual({ waitSeconds: 60 })
})

test('a key that was right and is so no more counts as wrong from then on', async () => {
  const { wrong, right, lookups } = setup()
  await right('a', 'revoked')
  for (let index = 0; index < 10; index++) await wrong('a')
  expect(await wrong('a', 'revoked')).toBe(0)
  expect(await wrong('a', 'revoked')).toBe(60)
  expect(lookups()).toBe(12)
})

test('a right key costs an address nothing', async () => {
  const { right } = setup()
  for (let index = 0; index < 30; index++) expect(await right('a', `key ${index}`)).toEqual(letIn)
})

test('a burst of wrong keys at once gets no more look-ups than one after the other', async () => {
  const { wrong, lookups } = setup()
  const waits = await Promise.all(Array.from({ length: 1000 }, (_, index) => wrong('a', `wrong ${index}`)))
  expect(lookups()).toBe(10)
  expect(waits.filter((seconds) => seconds > 0)).toHaveLength(990)
})

test('a burst of right keys at once is let in as a whole', async () => {
  const { right } = setup()
  const same = await Promise.all(Array.from({ length: 100 }, () => right('a', 'same')))
  const different = await Promise.all(Array.from({ length: 100 }, (_, index) => right('b', `key ${index}`)))
  expect([...same, ...different].filter(({ found }) => found === 'actor')).toHaveLength(200)
})

test('a look-up that fails counts as nothing and holds up nobody', async () => {
  const { attempts, wrong } = setup()
  const fail = () => attempts.attempt('a', 'k', () => Promise.reject(new Error('no database')))
  const results = await Promise.allSettled(Array.from({ length: 30 }, fail))
  expect(results.map(({ status }) => status)).toEqual(Array(30).fill('rejected'))
  expect(await wrong('a')).toBe(0)
})

test('S17: wrong keys from ever new addresses leave a bounded trace', async () => {
  const { wrong, lookups } = setup()
  for (let index = 0; index < 10; index++) await wrong('first')
  for (let index = 0; index < 10_000; index++) await wrong(`address ${index}`)
  expect(await wrong('first')).toBe(0) // forgotten: ten thousand others came since
  for (let index = 0; index < 9; index++) await wrong('address 9999')
  expect(await wrong('address 9999')).toBe(60)
  expect(lookups()).toBe(10_020)
})

test('of the keys that were right the thousand used last are remembered', async () => {
  const { wrong, right } = setup()
  await right('b', 'early')
  await right('b', 'kept')
  for (let index = 0; index < 500; index++) await right('b', `one ${index}`)
  await right('b', 'kept')
  for (let index = 0; index < 500; index++) await right('b', `other ${index}`)
  for (let index = 0; index < 10; index++) await wrong('a')
  expect(await right('a', 'kept')).toEqual(letIn)
  expect(await right('a', 'early')).toEqual({ waitSeconds: 60 })
})

test('a clock that is set back shuts nobody out', async () => {
  const { wrong, pass } = setup()
  for (let index = 0; index < 10; index++) await wrong()
  pass(-3600)
  expect(await wrong()).toBe(0)
})
