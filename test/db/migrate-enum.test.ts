import { expect, test } from 'vitest'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { sqlFolder } from './fixtures/sql-folder.ts'

const makesType = "create type freshet.kind as enum ('A'); create table freshet.t (kind freshet.kind);"
const addsValue = "alter type freshet.kind add value 'B';"
const usesValue = "insert into freshet.t values ('B');"
const readsValue =
  "create or replace function freshet.f() returns bigint language sql stable set search_path = '' as $$ select count(*) from freshet.t where kind = 'B' $$;"

test('a migration may use the enum value that the one before it added, to a type that was there before', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await sqlFolder({ 'migrations/0001_t.sql': makesType })
  await migrate(database.url, { sqlDir: folder.dir })
  await folder.write({
    'migrations/0002_b.sql': addsValue,
    'migrations/0003_use.sql': usesValue,
    'functions/f.sql': readsValue,
  })
  const commits: string[] = []
  const report = await migrate(database.url, {
    sqlDir: folder.dir,
    onStep: ({ kind, name }) => void (kind === 'commit' && commits.push(name)),
  })
  expect(report).toMatchObject({ migrations: ['0002_b', '0003_use'], applied: ['functions/f.sql'] })
  expect(commits).toEqual(['0002_b', '0003_use'])
  expect((await database.pool.query('select freshet.f()')).rows).toEqual([{ f: '1' }])
})

test('a function may use the value that the last migration added', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await sqlFolder({ 'migrations/0001_t.sql': makesType })
  await migrate(database.url, { sqlDir: folder.dir })
  await folder.write({ 'migrations/0002_b.sql': addsValue, 'functions/f.sql': readsValue })
  await migrate(database.url, { sqlDir: folder.dir })
  expect((await database.pool.query('select freshet.f()')).rows).toEqual([{ f: '0' }])
})

test('what failed after an added enum value runs again without adding it twice', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await sqlFolder({
    'migrations/0001_t.sql': makesType,
    'migrations/0002_b.sql': addsValue,
    'migrations/0003_use.sql': `${usesValue} select 1 / 0;`,
  })
  await expect(migrate(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({ file: 'migrations/0003_use.sql' })
  expect((await database.pool.query('select name from freshet.migrations')).rows).toEqual([
    { name: '0001_t' },
    { name: '0002_b' },
  ])
  expect((await database.pool.query('select kind from freshet.t')).rows).toEqual([])
  await folder.write({ 'migrations/0003_use.sql': usesValue })
  expect(await migrate(database.url, { sqlDir: folder.dir })).toMatchObject({ migrations: ['0003_use'] })
  expect((await database.pool.query('select kind from freshet.t')).rows).toEqual([{ kind: 'B' }])
})
