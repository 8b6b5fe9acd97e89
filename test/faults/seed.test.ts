import { expect, test } from 'vitest'
import { seededRandom } from './seed.ts'

test('the same seed gives the same numbers, another seed others', () => {
  const take = (seed: number) => Array.from({ length: 3 }, seededRandom('trial', seed))
  expect(take(7)).toEqual(take(7))
  expect(take(7)).not.toEqual(take(8))
  expect(take(7).every((number) => number >= 0 && number < 1)).toBe(true)
})
