import pg from 'pg'
import { inject } from 'vitest'

/** Closes a test's database to everybody, as if Postgres were gone; what it answers opens it again. */
export async function cutOff(databaseUrl: string): Promise<() => Promise<void>> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const admin = new pg.Client(inject('postgres').url)
  await admin.connect()
  await admin.query(`alter database ${name} with allow_connections false`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return async () => {
    await admin.query(`alter database ${name} with allow_connections true`)
    await admin.end()
  }
}
