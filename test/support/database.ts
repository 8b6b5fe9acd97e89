import pg from 'pg'
import { inject } from 'vitest'
import { databaseUrl } from './postgres.ts'

/** A database of one's own, gone when disposed of. */
export type TestDatabase = AsyncDisposable & { url: string; pool: pg.Pool }

/**
 * A copy of the migrated database: one for each test file. It was deployed at this moment: a clock that never beat is as old as
 * the deploy, so the copies of a template from minutes ago would all be late, and whoever watches would raise the alert.
 */
export async function cloneDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(inject('postgres').template)
  await database.pool.query('update freshet.applied_sql set applied_at = now()')
  return database
}

/** A database with nothing in it. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('template1')

/** A copy of another database, which nobody may be connected to. */
export async function createDatabase(template: string): Promise<TestDatabase> {
  const { url: adminUrl, prefix } = inject('postgres')
  const name = `${prefix}_${Math.random().toString(36).slice(2, 10)}`
  // Copying files is three times as fast as the default, which writes every page to the log.
  await runAsAdmin(adminUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = databaseUrl(adminUrl, name)
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => {}) // the database may be dropped while a connection idles
  return {
    url,
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end()
      await runAsAdmin(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

async function runAsAdmin(url: string, sql: string) {
  const admin = new pg.Client(url)
  await admin.connect()
  try {
    await admin.query(sql)
  } finally {
    await admin.end()
  }
}
