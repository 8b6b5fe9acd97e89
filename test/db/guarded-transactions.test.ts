import { afterAll, expect, test } from 'vitest'
import { withDeadline } from '../../src/db/deadline.ts'
import type { Tx } from '../../src/db/prisma.ts'
import { openStand } from '../domain/stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db } = stand

/** Ends as Postgres ends a transaction with this state, the first `times` times that it is run. */
function failing(state: string, times: number) {
  let runs = 0
  const work = async (tx: Tx) => {
    runs += 1
    if (runs <= times) await tx.$executeRawUnsafe(`do $$ begin raise exception 'x' using errcode = '${state}'; end $$`)
    return runs
  }
  return { work, runs: () => runs }
}

test.each(['40P01', '40001'])('a transaction that ends with %s is done again, three times in all', async (state) => {
  expect(await db.$transaction(failing(state, 2).work)).toBe(3)
  const hopeless = failing(state, 3)
  await expect(db.$transaction(hopeless.work)).rejects.toMatchObject({ name: 'PrismaClientKnownRequestError' })
  expect(hopeless.runs()).toBe(3)
})

test('a transaction that fails for another reason is done once', async () => {
  const wrong = failing('23514', 1)
  await expect(db.$transaction(wrong.work)).rejects.toMatchObject({ name: 'PrismaClientKnownRequestError' })
  expect(wrong.runs()).toBe(1)
})

test('a transaction whose request is given up while it works is not committed', async () => {
  const given = new AbortController()
  const deadline = { signal: given.signal, endsAt: performance.now() + 60_000, reachedCommit: false }
  const working = withDeadline(deadline, () =>
    db.$transaction(async (tx) => {
      await tx.retailer.create({ data: { slug: 'too-late', name: 'Too late' } })
      given.abort(new Error('given up'))
    }),
  )
  await expect(working).rejects.toThrow('given up')
  expect([await db.retailer.count(), deadline.reachedCommit]).toEqual([0, false])
})

test('a list of queries is one transaction still', async () => {
  expect(await db.$transaction([db.retailer.count(), db.source.count()])).toEqual([0, 0])
})
