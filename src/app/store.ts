import type { Config } from '../config.ts'
import { startDatabaseClock } from '../db/database-clock.ts'
import { assertMigrated, migrate, type MigrationPlan, type MigrationStep } from '../db/migrate/migrate.ts'
import type { Database } from '../db/open.ts'
import { connectPool, endPool } from '../db/pool.ts'
import { connectPrisma } from '../db/prisma.ts'
import type { KeyRing } from '../domain/feeds/credentials/key-ring.ts'
import { openKeyRing } from '../domain/feeds/credentials/open-key-ring.ts'
import type { Services } from '../jobs/kit.ts'
import { unlessStopped } from '../interrupt.ts'
import type { Log } from '../log.ts'

/** What every part of a process works with. */
export type Store = AsyncDisposable &
  Services & {
    log: Log
    /** Seals the credentials of feeds. */
    keyRing: KeyRing
  }

type Opening = { log: Log; now: (() => Date) | undefined; signal: AbortSignal; tell: (step: string) => void }

/** Brings the database to where this program needs it, or makes sure that it is, and opens the connections that all share. */
export async function openStore(config: Config, database: Database, opening: Opening): Promise<Store> {
  const { log } = opening
  const { url, directUrl } = database
  await unlessStopped(opening.signal, prepareDatabase(config, directUrl, opening))
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
  const clock = opening.now ? { now: opening.now } : await startDatabaseClock(pool, log)
  return {
    pool,
    db,
    directUrl,
    config,
    keyRing,
    now: clock.now,
    log,
    async [Symbol.asyncDispose]() {
      if (Symbol.dispose in clock) clock[Symbol.dispose]()
      await db.$disconnect().finally(() => endPool(pool))
    },
  }
}

async function prepareDatabase({ database }: Config, directUrl: string, { log, tell }: Opening): Promise<void> {
  if (!database.migrate) return assertMigrated(directUrl)
  const onStep = ({ kind, name }: MigrationStep) => {
    if (kind === 'wait') tell(`waiting: ${name}`)
    else log.debug({ kind, name }, 'migrating')
  }
  const report = await migrate(directUrl, { onStep, onPlan: (plan) => tell(summary(plan)) })
  const { migrations, applied, dropped } = report
  if (migrations.length + applied.length === 0) return
  const counts = { migrations: migrations.length, applied: applied.length, dropped: dropped.length }
  log.info(counts, 'the database was brought up to date')
  log.debug(report, 'what was run')
}

function summary({ queue, migrations, replaceables }: MigrationPlan): string {
  const parts = [
    ...(queue ? ['the queue'] : []),
    ...(migrations.length > 0 ? [count(migrations.length, 'migration')] : []),
    ...(replaceables.length > 0 ? [count(replaceables.length, 'SQL file')] : []),
  ]
  return `bringing the database up to date: ${parts.join(', ') || 'what is gone'}`
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
