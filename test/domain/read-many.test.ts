import { expect, test } from 'vitest'
import { allInOrder, inOrder, readPages } from '../../src/domain/read-many.ts'

const rows = [
  { id: '2', name: 'two' },
  { id: '1', name: 'one' },
]

test('rows stand in the order of the keys that were asked for, as often as they were', () => {
  const found = inOrder([1n, 3n, 2n, 1n], rows, ({ id }) => id)
  expect(found.map((row) => row?.name)).toEqual(['one', undefined, 'two', 'one'])
})

test('of things that must be there, one that is gone fails alone and by its name', () => {
  const [one, three] = allInOrder('feed', [1n, 3n], rows, ({ id }) => id)
  expect(one).toEqual({ id: '1', name: 'one' })
  expect(three).toEqual(new Error('feed 3 is gone'))
})

test('parts that differ in their owner alone are read together, each other sort by itself, each owner once', async () => {
  const asked: [bigint[], bigint][] = []
  const parts = [
    { runId: 1n, after: 0n },
    { runId: 2n, after: 0n },
    { runId: 1n, after: 7n },
    { runId: 1n, after: 0n },
    { runId: 3n, after: 0n },
  ]
  const pages = await readPages(parts, 'runId', async (runIds, { after }) => {
    asked.push([runIds, after])
    return runIds
      .filter((id) => id !== 3n)
      .flatMap((runId) => [
        { runId, place: after + 1n },
        { runId, place: after + 2n },
      ])
  })
  expect(asked).toEqual([
    [[1n, 2n, 3n], 0n],
    [[1n], 7n],
  ])
  const placesOf = pages.map((page) => page.map(({ runId, place }) => `${runId}:${place}`).join())
  expect(placesOf).toEqual(['1:1,1:2', '2:1,2:2', '1:8,1:9', '1:1,1:2', ''])
})
