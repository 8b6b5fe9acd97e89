import { expect, test } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'
import { run, runJson, start } from './stand.ts'

const { migrations, replaceables } = await readSqlFiles()
const schema = "select to_regnamespace('freshet')::text as schema"

test('--dry-run lists what would run and changes nothing; then it runs; then nothing is left to do', async () => {
  await using database = await createEmptyDatabase()
  const env = { DATABASE_URL: database.url, FRESHET_PG_CRON: 'false' }
  const dry = await run(['migrate', '--dry-run'], { env })
  expect({ code: dry.code, err: dry.err }).toEqual({ code: 0, err: '' })
  expect(dry.out).toMatch(/^Would run:\n {2}install queue \d+\n {2}run migrations\/0001_/)
  expect((await database.pool.query(schema)).rows).toEqual([{ schema: null }])

  const done = await run(['migrate'], { env })
  expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: '' })
  expect(done.out).toMatch(/^Ran:\n {2}installed queue \d+\n {2}ran migrations\/0001_/)
  expect((await database.pool.query(schema)).rows).toEqual([{ schema: 'freshet' }])

  const nothing = 'Nothing to do: the database is up to date.\n'
  const driver = 'Schedules: a worker process, as soon as one runs (pg_cron: FRESHET_PG_CRON is false).\n'
  expect(await run(['migrate'], { env })).toEqual({ code: 0, out: nothing + driver, err: '' })
  expect(await run(['migrate', '--dry-run'], { env })).toEqual({ code: 0, out: nothing, err: '' })
})

test('a plan and its report have the same form in JSON', async () => {
  await using database = await createEmptyDatabase()
  const env = { DATABASE_URL: database.url, FRESHET_MIGRATE: 'false', FRESHET_PG_CRON: 'false' }
  const plan = await runJson(['migrate', '--dry-run'], { env })
  expect(plan.answer).toEqual({
    dryRun: true,
    queue: { from: null, to: expect.any(Number) },
    migrations: migrations.map(({ name }) => name),
    applied: replaceables.map(({ path }) => path),
    dropped: [],
  })
  const report = await runJson(['migrate'], { env })
  expect(report.answer).toEqual({ ...plan.answer, dryRun: false, pgCron: { reason: 'FRESHET_PG_CRON is false' } })
})

test('a database of a newer program is refused', async () => {
  await using database = await cloneDatabase()
  await database.pool.query("insert into freshet.migrations (name, run_on) values ('9999_later', now())")
  const { code, error } = await runJson(['migrate'], { env: { DATABASE_URL: database.url } })
  expect({ code, error: error.code }).toEqual({ code: 1, error: 'DATABASE_NEWER' })
  expect(error.message).toContain('9999_later')
})

test('Ctrl-C while it waits for another process ends it and leaves the database as it was', async () => {
  await using database = await createEmptyDatabase()
  const other = await database.pool.connect()
  await other.query('select pg_advisory_lock(4610, 0)')
  await using program = start(['migrate'], { DATABASE_URL: database.url })
  await program.said('Waiting for another process that migrates.')
  expect(await program.interrupt()).toEqual({
    code: 130,
    out: '',
    err: 'Waiting for another process that migrates.\nStopped.\n',
  })
  expect((await other.query(schema)).rows).toEqual([{ schema: null }])
  other.release(true)
})
