import { afterAll, expect, test } from 'vitest'
import { runLockClass } from '../../src/domain/runs/run.ts'
import { workRun } from '../../src/jobs/kit/run.ts'
import { cloneDatabase } from '../support/database.ts'
import { openJobs } from '../support/jobs.ts'
import { aJob } from './trial-job.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const job = aJob('trial-run', (context) => {
  const lock = { lockClass: runLockClass.feed, lockId: context.payload.number }
  return workRun(context, { kind: 'FEED', trigger: 'MANUAL', lock }, (run) => run.progress({ rows: 3 }))
})
const jobs = await openJobs(database, [job])
afterAll(() => jobs[Symbol.asyncDispose]())

test('RULINGS 2: a job whose lock another run holds is cancelled and has no run', async () => {
  await using _holder = await holdLock(1)
  expect(await jobs.perform(job, { number: 1 })).toEqual({ kind: 'cancelled', reason: 'SKIPPED_LOCK_BUSY' })
  expect((await jobs.pool.query('select from freshet.runs')).rowCount).toBe(0)
})

test('a job that is a run ends with its run, and asked again finds it ended', async () => {
  expect(await jobs.perform(job, { number: 2 })).toMatchObject({ kind: 'done', output: { run: 'finished' } })
  expect(await jobs.perform(job, { number: 2 })).toMatchObject({ kind: 'done', output: { run: 'already-ended' } })
  const { rows } = await jobs.pool.query(
    'select kind, trigger, status, lock_class, lock_id, counters from freshet.runs',
  )
  expect(rows).toEqual([
    { kind: 'FEED', trigger: 'MANUAL', status: 'SUCCEEDED', lock_class: 4620, lock_id: 2, counters: { rows: 3 } },
  ])
})

async function holdLock(lockId: number): Promise<AsyncDisposable> {
  const client = await jobs.pool.connect()
  await client.query('select pg_advisory_lock($1, $2)', [runLockClass.feed, lockId])
  return {
    async [Symbol.asyncDispose]() {
      await client.query('select pg_advisory_unlock_all()')
      client.release()
    },
  }
}
