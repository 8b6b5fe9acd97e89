import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../src/config.ts'
import { migrate } from '../src/db/migrate/migrate.ts'
import { openDatabase } from '../src/db/open.ts'
import { connectPrisma } from '../src/db/prisma.ts'
import type { Services } from '../src/jobs/kit.ts'
import { createLog } from '../src/log.ts'
import { measureDrain } from './jobs/drain.ts'
import { measureEnqueue } from './jobs/enqueue.ts'
import { measureRedelivery } from './jobs/redelivery.ts'
import { measureStart } from './jobs/start.ts'

/** The queue: enqueueing, starting and draining against what Postgres and pg-boss do alone, and a killed worker's job. */
export async function run(): Promise<object> {
  await using resources = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
  await chmod(dir, 0o755)
  resources.defer(() => rm(dir, { recursive: true, force: true }))
  const { config } = readConfig({ FRESHET_DATA_DIR: dir }, { forServer: false })
  const { directUrl } = resources.use(await openDatabase(config))
  await migrate(directUrl)
  const pool = new pg.Pool({ connectionString: directUrl, max: 10 })
  resources.defer(() => pool.end())
  const services: Services = { pool, db: connectPrisma(pool), directUrl, config, now: () => new Date() }
  const stand = { services, log: createLog({ level: 'silent' }) }
  return {
    ...(await measureEnqueue(stand)),
    ...(await measureStart(stand)),
    ...(await measureDrain(stand)),
    ...(await measureRedelivery(stand)),
  }
}
