import { getRollbackPlans, PgBoss } from 'pg-boss'
import { expect, test } from 'vitest'
import { assertMigrated, describePlan, migrate, planMigration } from '../../src/db/migrate/migrate.ts'
import { takeSnapshot } from '../../src/db/snapshot.ts'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'

test("upgrades an older queue's tables, partitions included, to what a fresh install has", async () => {
  await using database = await cloneDatabase()
  await database.pool.query(`select pgboss.create_queue('parted', '{"policy":"standard","partition":true}')`)
  const fresh = await takeSnapshot(database.url, 'pgboss')
  for (const version of [43, 42, 41, 40, 39]) await database.pool.query(getRollbackPlans('pgboss', version))
  expect(await takeSnapshot(database.url, 'pgboss')).not.toBe(fresh)
  expect(describePlan(await planMigration(database.url))).toEqual(['upgrade queue 38 to 43'])
  await expect(assertMigrated(database.url)).rejects.toMatchObject({ code: 'MIGRATIONS_PENDING' })

  expect(await migrate(database.url)).toMatchObject({ queue: { from: 38, to: 43 }, migrations: [] })
  expect(sortedLines(await takeSnapshot(database.url, 'pgboss'))).toEqual(sortedLines(fresh))
  const boss = quietBoss(database.url, { migrate: false })
  await boss.start()
  try {
    expect(await boss.detectSchemaDrift()).toMatchObject({ ok: true })
  } finally {
    await boss.stop({ graceful: false })
  }
})

/** It does nothing by itself, and a connection that is cut when the database is dropped ends no test run. */
const quietBoss = (connectionString: string, options = {}) =>
  new PgBoss({ connectionString, supervise: false, schedule: false, ...options }).on('error', () => {})

/** Columns that an upgrade adds come last, whatever their place in a fresh table. */
const sortedLines = (text: string) => text.replaceAll(/,$/gm, '').split('\n').sort()

test('says which queue is too old to upgrade, and leaves it as it is', async () => {
  await using database = await cloneDatabase()
  await database.pool.query('update pgboss.version set version = 24')
  await expect(migrate(database.url)).rejects.toThrow('the oldest supported starting version is 25')
  expect((await database.pool.query('select version from pgboss.version')).rows).toEqual([{ version: 24 }])
})

test('takes over queue tables that were there before ours', async () => {
  await using database = await createEmptyDatabase()
  const boss = quietBoss(database.url)
  await boss.start()
  await boss.createQueue('early')
  await boss.stop({ graceful: false })
  expect(await migrate(database.url)).toMatchObject({ queue: null })
  expect((await database.pool.query('select name from pgboss.queue')).rows).toContainEqual({ name: 'early' })
})
