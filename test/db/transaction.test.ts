import { afterAll, expect, test } from 'vitest'
import { inTransaction, transact } from '../../src/db/transaction.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await pool.query('create table kept (number integer primary key)')
const kept = async () => (await pool.query('select number from kept order by 1')).rows.map(({ number }) => number)

test('what was done in a transaction is kept, and its answer is the answer', async () => {
  const answer = await inTransaction(pool, async (tx) => {
    await tx.query('insert into kept values (1)')
    return 'done'
  })
  expect([answer, await kept()]).toEqual(['done', [1]])
})

test('a failed statement that the work swallowed is no silent loss, and the connection is good for the next', async () => {
  const swallowed = inTransaction(pool, async (tx) => {
    await tx.query('insert into kept values (2)')
    await tx.query('insert into kept values (1)').catch(() => {})
  })
  await expect(swallowed).rejects.toThrow('A statement failed and the work went on, so nothing of it was kept')
  expect(await kept()).toEqual([1])
  expect(await inTransaction(pool, async () => 'next')).toBe('next')
})

test('a transaction inside another is refused before it begins, and the outer one is the outer one still', async () => {
  await inTransaction(pool, async (tx) => {
    await tx.query('insert into kept values (3)')
    await expect(transact(tx, () => tx.query('insert into kept values (4)'))).rejects.toThrow('open on this connection')
    expect(await kept()).toEqual([1])
  })
  expect(await kept()).toEqual([1, 3])
})
