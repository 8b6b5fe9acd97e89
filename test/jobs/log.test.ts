import { afterAll, expect, test } from 'vitest'
import { PermanentError } from '../../src/domain/queue/job-error.ts'
import { runLockClass } from '../../src/domain/runs/run.ts'
import { workRun } from '../../src/jobs/kit/run.ts'
import { addSecrets } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { openJobs } from '../support/jobs.ts'
import { makeFailure, startRunOf } from '../support/queue.ts'
import { sendJob } from '../support/send-job.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { aJob } from './trial-job.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const sourceId = await aSource(database.pool, await aRetailer(database.pool))

type Line = { msg: string; level: string; event?: string } & Record<string, unknown>
const linesOf = (log: string[], jobId: string | undefined) =>
  log.map((line) => JSON.parse(line) as Line).filter((line) => line.jobId === jobId)

test('issue 4 §4: every line of a job carries its queue and attempt, and its run and source once it has one', async () => {
  const lock = { lockClass: runLockClass.feed, lockId: 1 }
  const job = aJob('feed', (context) =>
    workRun(context, { kind: 'FEED', trigger: 'MANUAL', sourceId, lock }, async (run) => {
      await run.stage('LOGIN')
      context.log.info('at work')
      throw new PermanentError('The password is wrong.', { code: 'JOB_PAYLOAD_INVALID' })
    }),
  )
  await using jobs = await openJobs(database, [job])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await jobs.drain(job)
  const { rows } = await database.pool.query<{ id: string }>('select id from freshet.runs where job_id = $1', [id])
  const own = { queue: 'feed', jobId: id, attempt: 1 }
  const its = { ...own, runId: rows[0]?.id, runAttempt: 1, sourceId }
  const failure = { code: 'JOB_PAYLOAD_INVALID', error: 'The password is wrong.' }
  expect(linesOf(jobs.log, id)).toMatchObject([
    { msg: 'the run has its lock', event: 'ADVISORY_LOCK_ACQUIRED', ...own, ...lock },
    { msg: 'a run begins', event: 'RUN_START', ...its },
    { msg: 'at work', ...its },
    { msg: 'a run failed', event: 'RUN_FAILED', ...its, ...failure, stage: 'LOGIN', durationMs: expect.any(Number) },
    { msg: 'the run let its lock go', event: 'ADVISORY_LOCK_RELEASED', ...its, ...lock },
    { msg: 'a job failed', level: 'warn', ...its, outcome: 'failed', err: { message: 'The password is wrong.' } },
    { msg: 'a job failed for good', level: 'error', ...its, letterId: expect.any(String) },
    { msg: 'a dead letter ended', level: 'debug', ...its, outcome: 'done' },
  ])
})

test('S2 §17.10: a run that is failed after its last attempt was lost says so', async () => {
  const job = aJob('lost')
  await using jobs = await openJobs(database, [job])
  const { id } = await makeFailure(database.pool, job.name, { payload: { number: 1 }, letter: 'created' })
  const run = await startRunOf(database.pool, id, { sourceId, now: new Date(Date.now() - 5_000) })
  await jobs.drain(job)
  const its = { queue: 'lost', jobId: id, runId: run.id, runAttempt: 1, sourceId }
  expect(linesOf(jobs.log, id)).toMatchObject([
    { event: 'RUN_FAILED', ...its, code: 'FEED_GONE', error: 'The file is gone.', stage: null },
    { msg: 'a job failed for good', ...its },
    { msg: 'a dead letter ended', ...its },
  ])
})

test('a password that a job decrypted is in no log line, job, dead letter, run or sample, though a library quotes it', async () => {
  const password = 'c0rrect "horse"'
  const lock = { lockClass: runLockClass.feed, lockId: 2 }
  const job = aJob(
    'login',
    (context) =>
      workRun(context, { kind: 'FEED', trigger: 'MANUAL', lock }, async (run) => {
        addSecrets(password)
        const said = `535 ${password} is wrong`
        await run.sampleError({ code: 'LOGIN_FAILED', message: said, item: said, details: { said } })
        context.log.info({ said }, said)
        throw new Error(said)
      }),
    { retryDelays: [0] },
  )
  await using jobs = await openJobs(database, [job])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  expect(await jobs.drain(job)).toEqual(['retried', 'failed'])
  const kept = `select jsonb_build_object(
    'jobs', (select jsonb_agg(to_jsonb(j)) from pgboss.job j where name like 'login%'),
    'runs', (select jsonb_agg(to_jsonb(r)) from freshet.runs r where job_id = $1),
    'events', (select jsonb_agg(to_jsonb(e)) from freshet.run_events e join freshet.runs r on r.id = e.run_id where job_id = $1),
    'errors', (select jsonb_agg(to_jsonb(e)) from freshet.run_errors e join freshet.runs r on r.id = e.run_id where job_id = $1)
  )::text as text`
  const { rows } = await database.pool.query<{ text: string }>(kept, [id])
  const told = (rows[0]?.text ?? '') + jobs.log.join('\n')
  expect(told.match(/535 \*{8} is wrong/g)?.length).toBeGreaterThan(10)
  expect(told).not.toMatch(/c0rrect|horse/)
})
