import { expect, test } from 'vitest'
import { createTrial } from './http/trial-schema.ts'
import { aJob } from './jobs/trial-job.ts'
import { startTestApp } from './support/app.ts'
import { sendJob } from './support/send-job.ts'
import { until } from './support/until.ts'

test.each([
  ['api', false],
  ['all', true],
])('a process of the role %s drives the clock and works jobs: %s', async (FRESHET_ROLE, isWorker) => {
  await using app = await startTestApp({ env: { FRESHET_ROLE } })
  const { rows } = await app.pool.query(
    `select driver is not null as drives, exists (
       select from pg_stat_activity where datname = current_database() and application_name = 'freshet:queue'
     ) as works from freshet.clock`,
  )
  expect(rows).toEqual([{ drives: isWorker, works: isWorker }])
})

test('R7: a stop tells requests and jobs at once, and each finishes without the other', async () => {
  const trial = createTrial()
  const gate = Promise.withResolvers<void>()
  let told: AbortSignal | undefined
  const job = aJob('held', async ({ stopping }) => {
    told = stopping
    await gate.promise
  })
  const env = { FRESHET_SHUTDOWN_SECONDS: '10' }
  await using app = await startTestApp({ env, schema: trial.schema, jobs: [job] })
  const id = await sendJob(app.pool, job, { number: 1 })
  const request = app.ask('{ held }')
  await until('both are at work', () => told && trial.held.length === 1)
  const stopped = app.stop()
  const refused = () =>
    fetch(`${app.url}/healthz`).then(
      () => false,
      () => true,
    )
  await until('the job is told while a request is at work', () => told?.aborted, 5_000)
  await until('requests are refused while a job is at work', refused, 5_000)
  trial.letGo()
  expect(await request).toEqual({ data: { held: 'let go' } })
  gate.resolve()
  await stopped
  const { rows } = await app.pool.query('select state from pgboss.job where id = $1', [id])
  expect(rows).toEqual([{ state: 'completed' }])
})
