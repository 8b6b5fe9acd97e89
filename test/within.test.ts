import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { within } from '../src/within.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const never = new Promise<string>(() => {})
const tooLate = () => 'too late'

test('work that is done in time is answered, and no timer is left', async () => {
  expect(await within(1_000, Promise.resolve('done'), tooLate)).toBe('done')
  await expect(within(1_000, Promise.reject(new Error('broken')), tooLate)).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
})

test('work is given up when its time is over, not before', async () => {
  let answered: string | undefined
  const working = within(1_000, never, tooLate).then((answer) => (answered = answer))
  await vi.advanceTimersByTimeAsync(999)
  expect(answered).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(await working).toBe('too late')
})

test('what is thrown when the time is over is the failure', async () => {
  const failure = within(1_000, never, () => {
    throw new Error('too late')
  }).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await failure).toEqual(new Error('too late'))
})
