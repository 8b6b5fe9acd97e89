import { expect, test } from 'vitest'
import { queryRows } from '../../../src/db/sql.ts'
import { cloneDatabase } from '../../support/database.ts'
import { createTestRole } from '../../support/role.ts'
import { call, noCounters } from '../../support/runs.ts'
import { nothing, runStand } from './stand.ts'

test('a role without rights to change tables can run, end its own stale attempt, and reap', async () => {
  await using database = await cloneDatabase()
  await using role = await createTestRole(database)
  await database.pool.query(`select freshet.grant_runtime('${role.name}')`)
  await using pool = role.connect()
  const { aRun } = runStand({ ...database, url: role.url, pool })
  const { tryRun, stored } = aRun()
  const { promise: isAtWork, resolve: atWork } = Promise.withResolvers<void>()
  const stale = tryRun(async (run) => {
    await queryRows(run.sql, 'begin')
    await run.progress({ rows: 1 })
    atWork()
    await new Promise<never>(() => {})
  }).catch((error: unknown) => error)
  await isAtWork
  expect(await tryRun(nothing)).toBe('finished')
  expect(await stale).toMatchObject({ code: 'RUN_CONNECTION_LOST' })
  expect((await stored()).run).toMatchObject({ status: 'SUCCEEDED', attempt: 2, counters: noCounters })
  expect(await call(pool, 'reap_runs', '30 minutes', new Date(), 100)).toBeUndefined()
})
