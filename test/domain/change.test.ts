import { afterAll, expect, test } from 'vitest'
import { changeRow } from '../../src/domain/change.ts'
import { aRetailer } from '../support/rows.ts'
import { whileHeld } from '../support/while-held.ts'
import { actor, openStand } from './stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db, pool } = stand

const change = { model: 'Retailer', field: 'input.id', action: 'UPDATE_RETAILER' } as const
const read = (id: bigint) => db.retailer.findUniqueOrThrow({ where: { id } })
const recorded = async (id: bigint) =>
  (await db.auditEntry.findMany({ where: { objectId: String(id) }, orderBy: { id: 'asc' } })).map((entry) => ({
    action: entry.action,
    objectType: entry.objectType,
    changes: entry.changes,
  }))

test('changes what differs, records that alone, and answers the id', async () => {
  const id = BigInt(await aRetailer(pool, { name: 'Shop' }))
  expect(await changeRow(db, actor, { ...change, id, decide: ({ name }) => ({ name, tier: 'gold' }) })).toBe(id)
  expect(await read(id)).toMatchObject({ name: 'Shop', tier: 'gold' })
  const changes = { tier: { from: null, to: 'gold' } }
  expect(await recorded(id)).toEqual([{ action: 'UPDATE_RETAILER', objectType: 'Retailer', changes }])
})

test('decides on the row as it is once its lock is free', async () => {
  const id = BigInt(await aRetailer(pool, { tier: 'a' }))
  await whileHeld(
    pool,
    (client) => client.query("update freshet.retailers set tier = 'ab' where id = $1", [id]),
    () => changeRow(db, actor, { ...change, id, decide: ({ tier }) => ({ tier: `${tier}c` }) }),
  )
  expect((await read(id)).tier).toBe('abc')
  expect(await recorded(id)).toMatchObject([{ changes: { tier: { from: 'ab', to: 'abc' } } }])
})

test('of a secret field the record says that it changed, and nothing where it did not', async () => {
  const id = BigInt(await aRetailer(pool, { name: 'Shop', tier: 'hunter2' }))
  const set = (tier: string | null, name: string) =>
    changeRow(db, actor, { ...change, id, decide: () => ({ tier, name }), secret: ['tier'] })
  await set('hunter3', 'Store')
  await set('hunter3', 'Store')
  await set(null, 'Store')
  expect(await read(id)).toMatchObject({ tier: null, name: 'Store' })
  expect((await recorded(id)).map(({ changes }) => changes)).toEqual([
    { tier: 'changed', name: { from: 'Shop', to: 'Store' } },
    {},
    { tier: 'changed' },
  ])
})

test('what a change does besides is written unrecorded, and only where something changes', async () => {
  const id = BigInt(await aRetailer(pool, { name: 'Shop' }))
  const rename = (name: string, tier: string) =>
    changeRow(db, actor, { ...change, id, decide: () => ({ name }), around: (_tx, write) => write({ tier }) })
  await rename('Shop', 'first')
  expect(await read(id)).toMatchObject({ name: 'Shop', tier: null })
  await rename('Store', 'second')
  expect(await read(id)).toMatchObject({ name: 'Store', tier: 'second' })
  expect((await recorded(id)).map(({ changes }) => changes)).toEqual([{}, { name: { from: 'Shop', to: 'Store' } }])
})

test('a change that fails at what it does besides leaves neither change nor record', async () => {
  const id = BigInt(await aRetailer(pool, { name: 'Shop' }))
  const around = () => Promise.reject(new Error('not this'))
  await expect(changeRow(db, actor, { ...change, id, decide: () => ({ name: 'x' }), around })).rejects.toThrow(
    'not this',
  )
  expect(await read(id)).toMatchObject({ name: 'Shop' })
  expect(await recorded(id)).toEqual([])
})

test('a row that is not there is told by the field that named it', async () => {
  await expect(changeRow(db, actor, { ...change, id: 987_654_321n, decide: () => ({}) })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no such retailer.',
    field: 'input.id',
  })
  expect(await recorded(987_654_321n)).toEqual([])
})
