import type { Config } from '../config.ts'
import { assertMigrated, migrate } from '../db/migrate/migrate.ts'
import type { Database } from '../db/open.ts'
import { connectPool, endPool } from '../db/pool.ts'
import { connectPrisma } from '../db/prisma.ts'
import type { KeyRing } from '../domain/feeds/credentials/key-ring.ts'
import { openKeyRing } from '../domain/feeds/credentials/open-key-ring.ts'
import type { Services } from '../jobs/kit.ts'
import type { Log } from '../log.ts'

/** What every part of a process works with. */
export type Store = AsyncDisposable &
  Services & {
    log: Log
    /** Seals the credentials of feeds. */
    keyRing: KeyRing
  }

/** Brings the database to where this program needs it, or makes sure that it is, and opens the connections that all share. */
export async function openStore(config: Config, database: Database, log: Log, now: () => Date): Promise<Store> {
  const { url, directUrl } = database
  if (config.database.migrate) {
    const report = await migrate(directUrl)
    if (report.migrations.length + report.applied.length > 0) log.info(report, 'the database was brought up to date')
  } else await assertMigrated(directUrl)
  const keyRing = await openKeyRing(config.access, config.dataDir)

  const isPooled = directUrl !== url
  // A little longer than a request: the caller hears of the whole request, not of the field that was cancelled.
  const statementMs = config.http.requestSeconds * 1000 + 500
  const pool = connectPool(url, {
    size: config.database.poolSize,
    log,
    statementMs: isPooled ? undefined : statementMs,
    answerMs: statementMs + 2_000,
  })
  const db = connectPrisma(pool)
  return {
    pool,
    db,
    directUrl,
    config,
    keyRing,
    now,
    log,
    [Symbol.asyncDispose]: () => db.$disconnect().finally(() => endPool(pool)),
  }
}
