import type { Config } from '../config.ts'
import { migrate, assertMigrated } from '../db/migrate/migrate.ts'
import { openDatabase, type Database } from '../db/open.ts'
import { connectPool, type Pool } from '../db/pool.ts'
import { connectPrisma, type Db } from '../db/prisma.ts'
import { assertReachable } from '../db/reach.ts'
import type { Actor } from '../domain/access/actor.ts'
import { unlessStopped } from '../interrupt.ts'
import { createLog } from '../log.ts'
import { commandActor, readSettings, type Context } from './context.ts'

export type Opened = { config: Config; database: Database }
export type Connected = { db: Db; pool: Pool; directUrl: string; config: Config; actor: Actor }

/** Opens the database for one command. An embedded server that was not running is stopped again afterwards. */
export async function withDatabase<Result>(
  context: Context,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const config = await readSettings(context)
  await using database = await openDatabase(config, { signal: context.signal })
  return await unlessStopped(
    context.signal,
    reachThen(database, () => work({ config, database })),
  )
}

async function reachThen<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  await assertReachable(database.directUrl)
  return work()
}

/** The catalogue for one command. An embedded database is brought up to date on the way, as starting would. */
export async function withDb<Result>(
  context: Context,
  work: (connected: Connected) => Promise<Result>,
): Promise<Result> {
  return withDatabase(context, async ({ config, database }) => {
    if (database.isEmbedded && config.database.migrate) await migrate(database.directUrl)
    else await assertMigrated(database.directUrl)
    const pool = connectPool(database.url, { size: 3, log: createLog({ level: 'silent' }) })
    const db = connectPrisma(pool)
    try {
      return await work({ db, pool, directUrl: database.directUrl, config, actor: commandActor() })
    } finally {
      await db.$disconnect()
      await pool.end()
    }
  })
}
