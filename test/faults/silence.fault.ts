import { expect, test } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import { createLog } from '../../src/log.ts'
import { aJob } from '../jobs/trial-job.ts'
import { cloneDatabase } from '../support/database.ts'
import { startMiddle } from '../support/middle.ts'
import { sendJob } from '../support/send-job.ts'
import { until } from '../support/until.ts'
import { report } from './seed.ts'

const credentialKey = Buffer.alloc(32, 7).toString('base64')
const patienceMs = 60_000
const limitSeconds = 45

test('R4: every connection of a process falls silent: requests, jobs and the clock go on by themselves', async () => {
  await using database = await cloneDatabase()
  await using middle = await startMiddle(database.url)
  const { config } = readConfig({
    DATABASE_URL: middle.url,
    CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey,
    PORT: '0',
    FRESHET_PG_CRON: 'false',
    FRESHET_POOL_SIZE: '3',
    FRESHET_REQUEST_SECONDS: '2',
  })
  const worked: number[] = []
  const job = aJob('after-silence', async ({ payload }) => void worked.push(payload.number))
  await using direct = await openDatabase(config)
  await using app = await startApp({ config, database: direct, log: createLog({ level: 'silent' }), jobs: [job] })
  const ask = async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ retailers { totalCount } }' }),
    })
    const { data } = (await response.json()) as { data?: { retailers: { totalCount: number } } | null }
    return data?.retailers.totalCount === 0
  }
  const isReady = async () => (await fetch(`${app.url}/readyz`)).status === 200
  const lastTick = async () => {
    const { rows } = await database.pool.query<{ at: Date }>('select last_tick_at as at from freshet.clock')
    return rows[0]!.at.getTime()
  }
  // The pool is full, and the queue's connections have been used, when nothing is answered on them any more.
  expect(await Promise.all([1, 2, 3, 4, 5].map(ask))).not.toContain(false)
  await sendJob(database.pool, job, { number: 1 })
  await until('a job is worked', () => worked.length === 1)

  middle.fallSilent()
  const [since, tick] = [performance.now(), await lastTick()]
  const seconds = () => Number(((performance.now() - since) / 1000).toFixed(1))
  await sendJob(database.pool, job, { number: 2 })
  const after = async (what: string, isSo: () => Promise<boolean>) => {
    await until(what, isSo, patienceMs)
    return seconds()
  }
  const [requests, jobs, clock] = await Promise.all([
    after('five requests at once are answered', async () =>
      (await Promise.all([1, 2, 3, 4, 5].map(ask))).every(Boolean),
    ),
    after('the second job is worked', async () => worked.includes(2)),
    after('the clock beats', async () => (await lastTick()) > tick),
  ])
  const ready = await after('it is ready', isReady)
  report('R4', { silent: 'all connections', recoverySeconds: { requests, jobs, clock, ready } })
  expect(Math.max(requests, jobs, clock, ready)).toBeLessThan(limitSeconds)
})
