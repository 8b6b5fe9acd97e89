import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { sendJob } from '../support/send-job.ts'
import { aJob } from '../jobs/trial-job.ts'
import { cloneDatabase } from '../support/database.ts'
import { openJobs } from '../support/jobs.ts'
import { createTestRole } from '../support/role.ts'
import { until } from '../support/until.ts'
import { report } from './seed.ts'

const outageSeconds = 30

test('R16: connections used up for 30 s: errors are clear, no process ends, and within 10 s jobs are worked again', async () => {
  await using database = await cloneDatabase()
  await using role = await createTestRole(database)
  await database.pool.query('select freshet.grant_runtime($1)', [role.name])
  const worked: { number: number; at: number }[] = []
  const job = aJob(
    'starving',
    async ({ payload }) => void worked.push({ number: payload.number, at: performance.now() }),
  )
  const reachable = { ...database, url: role.url }
  await using jobs = await openJobs({ ...reachable, pool: database.pool }, [job])
  await using _workers = await jobs.work()
  await sendJob(database.pool, job, { number: 1 })
  await until('the first is worked', () => worked.length === 1)

  // Every connection that the role may have is taken by somebody else; the ones that the workers had are cut.
  await database.pool.query(`alter role ${role.name} connection limit 1`)
  await using others = new AsyncDisposableStack()
  await database.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role.name])
  const taken = await until('the last connection is taken', async () => {
    const client = new pg.Client(role.url)
    client.on('error', () => {})
    return client.connect().then(
      () => client,
      () => undefined,
    )
  })
  others.defer(() => taken.end())
  await sendJob(database.pool, job, { number: 2 })
  await pause(outageSeconds * 1000)
  expect(worked.length).toBe(1)
  await others.disposeAsync()
  await database.pool.query(`alter role ${role.name} connection limit -1`)
  const over = performance.now()
  await until('the second is worked', () => worked.length === 2, 20_000)
  const seconds = (worked[1]!.at - over) / 1000
  const errors = new Set(
    jobs.log.filter((line) => line.includes('met an error')).map((line) => JSON.parse(line).error as string),
  )
  report('R16', { outageSeconds, recoverySeconds: Number(seconds.toFixed(1)), errors: [...errors].slice(0, 3) })
  expect(seconds).toBeLessThan(10)
  expect([...errors].join()).toContain('too many connections for role')
})
