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
  const settled = vi.fn()
  const answer = within(1_000, never, tooLate).then(settled)
  await vi.advanceTimersByTimeAsync(999)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await answer
  expect(settled).toHaveBeenCalledWith('too late')
})

test('what is thrown when the time is over is the failure', async () => {
  const answer = within(1_000, never, () => {
    throw new Error('too late')
  })
  const failure = expect(answer).rejects.toThrow('too late')
  await vi.advanceTimersByTimeAsync(1_000)
  await failure
})
