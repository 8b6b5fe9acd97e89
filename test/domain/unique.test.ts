import { afterAll, expect, test } from 'vitest'
import { refuseDuplicate } from '../../src/domain/unique.ts'
import { openStand } from './stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db, pool } = stand

const first = { name: 'first', kind: 'feed', subjectId: 1n, queue: 'trial', periodSeconds: 60 }
await db.schedule.create({ data: first })
const duplicates = {
  schedules_name_key: { field: 'input.name', message: 'The name is taken.' },
  schedules_kind_subject_id_key: { field: 'input.feedId', message: 'The feed has a schedule.' },
}
const refused = { name: 'DomainError', code: 'ALREADY_EXISTS' }

test.each([
  ['name', { subjectId: 2n }, { field: 'input.name', message: 'The name is taken.' }],
  ['subject', { name: 'second' }, { field: 'input.feedId', message: 'The feed has a schedule.' }],
])('of several unique keys the one that refused is told: the %s', async (_key, other, told) => {
  const creating = () => db.schedule.create({ data: { ...first, ...other } })
  await expect(refuseDuplicate(creating(), duplicates)).rejects.toMatchObject({ ...refused, ...told })
  await expect(refuseDuplicate(db.$transaction(creating), duplicates)).rejects.toMatchObject({ ...refused, ...told })
})

test('what a statement of our own or the pool refuses is told as well', async () => {
  const text = "insert into freshet.schedules (name, kind, queue, period_seconds) values ('first', 'x', 'trial', 60)"
  for (const work of [() => db.$executeRawUnsafe(text), () => pool.query(text)])
    await expect(refuseDuplicate<unknown>(work(), duplicates)).rejects.toMatchObject({
      ...refused,
      field: 'input.name',
    })
})

test('a key that is not named, and any other error, is no duplicate', async () => {
  const { schedules_name_key } = duplicates
  const creating = db.schedule.create({ data: { ...first, name: 'second' } })
  await expect(refuseDuplicate(creating, { schedules_name_key })).rejects.toMatchObject({ code: 'P2002' })
  const wrong = db.schedule.create({ data: { ...first, name: ' ', subjectId: 3n } })
  await expect(refuseDuplicate(wrong, duplicates)).rejects.not.toMatchObject(refused)
  expect(await refuseDuplicate(Promise.resolve('done'), duplicates)).toBe('done')
})
