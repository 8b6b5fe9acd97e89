import { expect, test } from 'vitest'
import { z } from 'zod'
import { text } from '../../../src/domain/input.ts'
import { readTable } from '../../../src/domain/lists/table.ts'

const form = z.object({ name: text(200) })
const columns = { fields: { name: 'name' }, required: ['name'] }
const read = (csv: string) => readTable(csv, form, columns)

test('a list has at most 100 columns, and more of them are told in one sentence, at once', async () => {
  const wide = (count: number) => `name${','.repeat(count - 1)}\nShop`
  expect((await read(wide(100))).problems).toEqual([])
  expect((await read(wide(101))).problems).toEqual([
    { field: 'csv', message: 'has 101 columns; at most 100 are allowed.' },
  ])
  const header = Array.from({ length: 22_000 }, (_, index) => index.toString(36)).join(',')
  const started = performance.now()
  expect((await read(`${header}\n1`)).problems).toEqual([
    { field: 'csv', message: 'has 22000 columns; at most 100 are allowed.' },
  ])
  expect(performance.now() - started).toBeLessThan(1_000)
})

test('others have their turn while 49,000 rows are read', async () => {
  const csv = `name\n${Array.from({ length: 49_000 }, (_, index) => `Shop ${index}`).join('\n')}`
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  const { rows, problems } = await read(csv)
  clearInterval(timer)
  expect([rows.length, problems]).toEqual([49_000, []])
  expect(turns).toBeGreaterThan(10)
})
