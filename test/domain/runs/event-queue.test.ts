import { afterEach, expect, test, vi } from 'vitest'
import { EventQueue, maxBehind } from '../../../src/domain/runs/event-queue.ts'
import type { PlacedEvent } from '../../../src/domain/runs/event.ts'

afterEach(() => {
  vi.useRealTimers()
})

let position = 0n
const event = (runId: number, kind: PlacedEvent['kind'], number = 1): PlacedEvent => ({
  type: 'RunEvent',
  runId: BigInt(runId),
  runKind: 'FEED',
  trigger: 'SCHEDULED',
  sourceId: null,
  position: ++position,
  number,
  attempt: 1,
  at: new Date(0),
  kind,
  stage: null,
  code: null,
  message: null,
  counters: { number },
  mergedCount: 0,
})

/** A queue of at most `max` events, and what is left in it in the form run:number+merged. */
function setup(max?: number) {
  const left = vi.fn<() => void>()
  const queue = new EventQueue(left, max)
  const drain = async () => {
    const taken: string[] = []
    for (;;) {
      const next = queue.size === 0 ? 'empty' : await queue.take(1_000)
      if (typeof next === 'string') return taken
      taken.push(`${next.runId}:${next.kind[0]}${next.number}+${next.mergedCount}`)
    }
  }
  return { queue, left, drain }
}

test('RULINGS 5: 1,000 events are kept as they are, the 1,001st merges the oldest two of progress', async () => {
  expect(maxBehind).toBe(1_000)
  const { queue, drain } = setup()
  for (let number = 1; number <= 1_000; number++) queue.push(event(1, 'PROGRESS', number))
  expect(queue.size).toBe(1_000)
  queue.push(event(1, 'PROGRESS', 1_001))
  const taken = await drain()
  expect(taken).toHaveLength(1_000)
  expect([taken[0], taken[1], taken[999]]).toEqual(['1:P2+1', '1:P3+0', '1:P1001+0'])
})

test('RULINGS 5: progress is merged into the later one of its own run, which says how many it stands for', async () => {
  const { queue, drain } = setup(3)
  for (const next of [event(1, 'PROGRESS', 1), event(2, 'PROGRESS', 1), event(1, 'PROGRESS', 2)]) queue.push(next)
  queue.push(event(1, 'PROGRESS', 3))
  queue.push(event(1, 'PROGRESS', 4))
  expect(await drain()).toEqual(['2:P1+0', '1:P3+2', '1:P4+0'])
})

test('RULINGS 5: a stage change or an end is never merged, nor moved', async () => {
  const { queue, drain } = setup(4)
  queue.push(event(1, 'STARTED', 1))
  queue.push(event(1, 'PROGRESS', 2))
  queue.push(event(1, 'STAGE', 3))
  queue.push(event(1, 'PROGRESS', 4))
  queue.push(event(1, 'SUCCEEDED', 5))
  expect(await drain()).toEqual(['1:S1+0', '1:S3+0', '1:P4+1', '1:S5+0'])
})

test('an event is shared with others: merging leaves it as it was', async () => {
  const { queue } = setup(1)
  const [one, two] = [event(1, 'PROGRESS', 1), event(1, 'PROGRESS', 2)]
  queue.push(one)
  queue.push(two)
  expect(await queue.take(1)).toEqual({ ...two, mergedCount: 1 })
  expect([one.mergedCount, two.mergedCount]).toEqual([0, 0])
})

test('when nothing can be merged the queue ends after what it holds, and whoever fills it is told', async () => {
  const { queue, left, drain } = setup(2)
  queue.push(event(1, 'STAGE', 1))
  queue.push(event(1, 'STAGE', 2))
  expect(left).not.toHaveBeenCalled()
  queue.push(event(1, 'STAGE', 3))
  expect(left).toHaveBeenCalledOnce()
  queue.push(event(1, 'STAGE', 4))
  expect(await drain()).toEqual(['1:S1+0', '1:S2+0'])
  expect(await queue.take(1)).toBe('over')
})

test('whoever waits gets the next event at once, and is told when it stays quiet', async () => {
  vi.useFakeTimers()
  const { queue } = setup()
  const first = queue.take(15_000)
  const pushed = event(1, 'STAGE')
  queue.push(pushed)
  expect(await first).toBe(pushed)
  let second: unknown
  void queue.take(15_000).then((taken) => (second = taken))
  await vi.advanceTimersByTimeAsync(14_999)
  expect(second).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(second).toBe('quiet')
  expect(vi.getTimerCount()).toBe(0)
})

test('one who leaves while he waits is told, and nothing is kept for him', async () => {
  vi.useFakeTimers()
  const { queue, left } = setup()
  const waiting = queue.take(15_000)
  queue[Symbol.dispose]()
  expect(await waiting).toBe('over')
  queue.push(event(1, 'STAGE'))
  expect([queue.size, left.mock.calls.length, vi.getTimerCount()]).toEqual([0, 1, 0])
})
