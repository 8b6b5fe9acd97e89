import { afterAll, expect, test } from 'vitest'
import { isOutage } from '../../src/db/failure.ts'
import { connectPool, endPool } from '../../src/db/pool.ts'
import { connectPrisma } from '../../src/db/prisma.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { startMiddle } from '../support/middle.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const log = createLog({ level: 'silent' })

test('R4: connections that fell silent do not hold up what comes later, whoever was using them', async () => {
  await using middle = await startMiddle(database.url)
  const pool = connectPool(middle.url, { size: 3, log, answerMs: 300 })
  const db = connectPrisma(pool)
  const inOne = (work: () => void) =>
    db.$transaction(async (tx) => {
      await tx.$queryRaw`select 1`
      work()
      await tx.$queryRaw`select 1`
    })
  const inOther = (work: () => void) =>
    inTransaction(pool, async (tx) => {
      await tx.query('select 1')
      work()
      await tx.query('select 1')
    })
  const inThird = async (work: () => void) => {
    await pool.query('select 1')
    work()
    await pool.query('select 1')
  }
  let left = 3
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const fallSilent = () => {
    if (--left > 0) return
    middle.fallSilent()
    resolve()
  }
  const ends = await Promise.allSettled([inOne, inOther, inThird].map((work) => work(fallSilent)))
  await all
  expect(ends.map((end) => end.status === 'rejected' && isOutage(end.reason))).toContain(true)
  for (let round = 0; round < 3; round++) await Promise.allSettled([1, 2, 3].map(() => pool.query('select 1')))
  expect(await Promise.all([1, 2, 3].map(() => pool.query('select 1 as alive').then(({ rows }) => rows)))).toEqual(
    [1, 2, 3].map(() => [{ alive: 1 }]),
  )
  await db.$disconnect()
  await endPool(pool)
})
