import { afterAll, expect, test } from 'vitest'
import { queryRows } from '../../../src/db/sql.ts'
import { CancelJob, PermanentError, SnoozeJob } from '../../../src/domain/queue/job-error.ts'
import type { Admit } from '../../../src/domain/runs/run.ts'
import { cloneDatabase } from '../../support/database.ts'
import { noCounters } from '../../support/runs.ts'
import { settleRunJob } from '../../../src/domain/runs/settle-run-job.ts'
import { nothing, runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { aRun, isFree } = runStand(database)

test('a run is locked, started, worked on and finished, and its lock is free again', async () => {
  const { tryRun, stored, lockKey } = aRun()
  const outcome = await tryRun(async (run) => {
    expect(await isFree(lockKey)).toBe(false)
    await run.stage('DOWNLOAD')
    await run.progress({ rows: 2 })
    await run.sampleError({ code: 'PRICE_MISSING', message: 'There is no price.', line: 7, item: 'sku-1' })
  })
  expect(outcome).toBe('finished')
  expect(await isFree(lockKey)).toBe(true)
  const { run, events, errors } = await stored()
  expect(run).toMatchObject({
    status: 'SUCCEEDED',
    stage: 'DOWNLOAD',
    counters: { rows: 2 },
    error_count: 1,
    attempt: 1,
  })
  expect(events.map(({ kind }) => kind)).toEqual(['STARTED', 'STAGE', 'PROGRESS', 'SUCCEEDED'])
  expect(errors).toMatchObject([{ code: 'PRICE_MISSING', line: 7, item: 'sku-1', details: {} }])
})

test('every line logged by the work names the run', async () => {
  const { tryRun, services, lines, find } = aRun()
  await tryRun(async () => services.log.info('at work'))
  expect(JSON.parse(lines.find((line) => line.includes('at work')) ?? '')).toMatchObject({
    runId: await find(),
    runAttempt: 1,
  })
})

test('RULINGS 4: a stage is seen by others while its transaction is still open', async () => {
  const { tryRun, stored } = aRun()
  await tryRun(async (run) => {
    await run.stage('PROMOTE')
    await run.transaction(async () => {
      await run.progress({ rows: 1 })
      const { events } = await stored()
      expect(events.map(({ kind, stage }) => [kind, stage])).toEqual([
        ['STARTED', null],
        ['STAGE', 'PROMOTE'],
      ])
    })
  })
})

test('RULINGS 4: a stage cannot begin inside a transaction', async () => {
  const { tryRun } = aRun()
  const wrong = tryRun((run) => run.transaction(() => run.stage('PROMOTE')))
  await expect(wrong).rejects.toThrow('begin the stage first')
})

test('what a transaction of the work counted is undone with it', async () => {
  const { tryRun, stored } = aRun()
  const boom = new Error('the disk is full')
  const attempt = tryRun((run) =>
    run.transaction(async () => {
      await run.progress({ rows: 5 })
      throw boom
    }),
  )
  await expect(attempt).rejects.toBe(boom)
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', counters: noCounters })
})

test('a transaction inside a transaction is refused, and what the outer one counted is undone', async () => {
  const { tryRun, stored } = aRun()
  const attempt = tryRun((run) =>
    run.transaction(async () => {
      await run.progress({ rows: 5 })
      await run.transaction(() => run.progress({ rows: 1 }))
    }),
  )
  await expect(attempt).rejects.toThrow('A transaction is open on this connection already')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', counters: noCounters })
})

test('work that swallows a failed statement is told that nothing of it was kept', async () => {
  const { tryRun, stored } = aRun()
  const attempt = tryRun((run) =>
    run.transaction(async () => {
      await run.progress({ rows: 5 })
      await queryRows(run.sql, 'select 1 / 0').catch(() => [])
    }),
  )
  await expect(attempt).rejects.toThrow('nothing of it was kept')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', counters: noCounters })
})

test.each([
  ['was ended by somebody else', (id: string) => `select freshet.fail_run(${id}, 1, 'GONE', 'Gone.', '', now())`],
  [
    'was overtaken and ended well by another attempt',
    (id: string) => `update freshet.runs set attempt = 2 where id = ${id}; select freshet.finish_run(${id}, 2, now())`,
  ],
])('work that ends well although its run %s has not finished it, and nobody says so', async (_what, end) => {
  const { tryRun, lines } = aRun()
  expect(await tryRun((run) => database.pool.query(end(run.runId)))).toBe('already-ended')
  expect(lines.filter((line) => line.includes('RUN_COMPLETE'))).toEqual([])
})

test('DESIGN 5.5: work whose result and end must be one ends its run in its own transaction', async () => {
  const { tryRun, stored } = aRun()
  const outcome = await tryRun((run) =>
    run.transaction(async () => {
      await run.progress({ rows: 1 })
      await run.finish()
    }),
  )
  expect(outcome).toBe('finished')
  expect((await stored()).events.map(({ kind }) => kind)).toEqual(['STARTED', 'PROGRESS', 'SUCCEEDED'])
})

test('work that leaves a transaction open fails, and what it wrote there is gone', async () => {
  const { tryRun, stored } = aRun()
  const attempt = tryRun(async (run) => {
    await queryRows(run.sql, 'begin')
    await run.progress({ rows: 1 })
  })
  await expect(attempt).rejects.toThrow('left its transaction open')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', counters: noCounters })
})

test('RULINGS 1: a job whose run has ended does no work and touches nothing', async () => {
  const { tryRun, stored } = aRun()
  await tryRun(nothing)
  const before = await stored()
  const work = () => Promise.reject(new Error('it worked again'))
  expect(await tryRun(work)).toBe('already-ended')
  expect(await stored()).toEqual(before)
})

test('DESIGN 5.4: an error that no retry can help ends the run at once, with its hint, and is thrown on', async () => {
  const { tryRun, stored, lockKey } = aRun()
  const error = new PermanentError('The password is wrong.', { code: 'SLACK_REFUSED', hint: 'Enter it again.' })
  await expect(tryRun(() => Promise.reject(error))).rejects.toBe(error)
  const { run, events } = await stored()
  expect(run).toMatchObject({
    status: 'FAILED',
    error_code: 'SLACK_REFUSED',
    error_message: 'The password is wrong.',
    error_hint: 'Enter it again.',
    is_counted: true,
  })
  expect(events.at(-1)).toMatchObject({ kind: 'FAILED', code: 'SLACK_REFUSED', message: 'The password is wrong.' })
  expect(await isFree(lockKey)).toBe(true)
})

test('a secret in an error is kept neither with the run nor among its samples', async () => {
  const { tryRun, stored } = aRun()
  const message = 'Cannot open sftp://bob:hunter2@files.example/feed.csv.'
  const attempt = tryRun(async (run) => {
    const item = 'https://bob:hunter2@shop.example/1'
    await run.sampleError({ code: 'PAGE_GONE', message, item, details: { from: item, lines: [1] } })
    throw new PermanentError(message, { code: 'SLACK_WEBHOOK_GONE', hint: 'Look at sftp://bob:hunter2@files.example.' })
  })
  await expect(attempt).rejects.toThrow('Cannot open')
  const { run, events, errors } = await stored()
  expect(run).toMatchObject({
    error_message: 'Cannot open sftp://bob:********@files.example/feed.csv.',
    error_hint: 'Look at sftp://bob:********@files.example.',
  })
  expect(errors).toMatchObject([
    {
      item: 'https://bob:********@shop.example/1',
      details: { from: 'https://bob:********@shop.example/1', lines: [1] },
    },
  ])
  expect(JSON.stringify({ run, events, errors })).not.toContain('hunter2')
})

test('DESIGN 5.4: any other error leaves the run RUNNING for the retry, and ends it on the last attempt', async () => {
  const { tryRun, stored } = aRun()
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  await expect(tryRun(() => Promise.reject(error), false)).rejects.toBe(error)
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', attempt: 1 })
  await expect(tryRun(() => Promise.reject(error), true)).rejects.toBe(error)
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    attempt: 2,
    error_code: 'ECONNREFUSED',
    is_counted: true,
  })
})

test('a run is told of and failed although its words hold a NUL and half of a character', async () => {
  const { tryRun, stored } = aRun()
  const [odd, kept] = ['a\u0000b \uD83D', 'a\uFFFDb \uFFFD']
  const attempt = tryRun(async (run) => {
    await run.stage(odd)
    await run.progress({ [odd]: 1 })
    await run.sampleError({ code: odd, message: odd, item: odd, details: { [odd]: odd } })
    throw new PermanentError(odd, { code: 'SLACK_WEBHOOK_GONE', hint: odd })
  })
  await expect(attempt).rejects.toThrow(odd)
  const { run, errors, events } = await stored()
  expect(run).toMatchObject({ stage: kept, counters: { [kept]: 1 }, error_message: kept, error_hint: kept })
  expect(errors).toMatchObject([{ code: kept, message: kept, item: kept, details: { [kept]: kept } }])
  expect(events.at(-1)).toMatchObject({ kind: 'FAILED', message: kept })
})

test('an error of Postgres ends the run as DATABASE_ERROR, also out of a broken transaction', async () => {
  const { tryRun, stored } = aRun()
  const attempt = tryRun(async (run) => {
    await queryRows(run.sql, 'begin')
    await queryRows(run.sql, 'select 1 / 0')
  }, true)
  await expect(attempt).rejects.toMatchObject({ code: '22012' })
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    error_code: 'DATABASE_ERROR',
    error_message: 'division by zero',
  })
})

test('a run that is put back is not ended, even on the last attempt', async () => {
  const { tryRun, stored } = aRun()
  await expect(tryRun(() => Promise.reject(new SnoozeJob(60, 'the host is busy')), true)).rejects.toThrow(SnoozeJob)
  expect((await stored()).run).toMatchObject({ status: 'RUNNING' })
})

test('a run that a shutdown hands back is not ended, even on the last attempt', async () => {
  const { tryRun, stored, shutdown } = aRun()
  const attempt = tryRun(async () => {
    shutdown.abort(new Error('the process is to stop'))
    shutdown.signal.throwIfAborted()
  }, true)
  await expect(attempt).rejects.toThrow('the process is to stop')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', attempt: 1 })
})

test('RULINGS 1, 2: a job is done when its run has ended, cancelled where it has none, and put back for 10 s otherwise', () => {
  expect(settleRunJob('finished')).toEqual({ run: 'finished' })
  expect(settleRunJob('already-ended')).toEqual({ run: 'already-ended' })
  expect(() => settleRunJob('lock-busy')).toThrow(new CancelJob('SKIPPED_LOCK_BUSY'))
  expect(() => settleRunJob('taken-away')).toThrow(new CancelJob('The job was taken away before its run began.'))
  expect(() => settleRunJob('wait')).toThrow(expect.objectContaining({ name: 'SnoozeJob', seconds: 10 }))
})

test('what a run is can be settled under its lock, on its connection', async () => {
  const admitted: unknown[] = []
  const { tryRun, stored, lockKey, run } = aRun({
    admit: async (sql, jobId) => {
      const [row] = await queryRows<{ name: string }>(sql, "select current_setting('application_name') as name")
      admitted.push(jobId, row?.name, await isFree(lockKey))
      return { kind: 'SWEEP', trigger: 'MANUAL_PENDING' }
    },
  })
  expect(await tryRun(nothing)).toBe('finished')
  expect(admitted).toEqual([run.jobId, `freshet:run:${run.jobId}`, false])
  expect((await stored()).run).toMatchObject({ kind: 'SWEEP', trigger: 'MANUAL_PENDING', status: 'SUCCEEDED' })
})

test('a run that is not admitted is never begun, and its lock is free again', async () => {
  const { tryRun, find, lockKey } = aRun({ admit: () => Promise.reject(new CancelJob('REQUEST_COVERED')) })
  await expect(tryRun(nothing)).rejects.toThrow(new CancelJob('REQUEST_COVERED'))
  expect(await find()).toBeUndefined()
  expect(await isFree(lockKey)).toBe(true)
})

/** Admits the first attempt and throws at every later one. */
const admitOnce = (error: Error): Admit => {
  let count = 0
  return async () => {
    if (++count > 1) throw error
    return { kind: 'FEED', trigger: 'SCHEDULED' }
  }
}

test('a retry that is not admitted ends the run that an earlier attempt began, not counted', async () => {
  const { tryRun, stored } = aRun({ admit: admitOnce(new CancelJob('The feed was paused.')) })
  await expect(tryRun(() => Promise.reject(new Error('The file is cut off.')))).rejects.toThrow('cut off')
  await expect(tryRun(nothing)).rejects.toThrow(new CancelJob('The feed was paused.'))
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    error_code: 'CANCELLED',
    error_message: 'The feed was paused.',
    is_counted: false,
    attempt: 1,
  })
})

test('a retry whose admission fails leaves its run to the next attempt', async () => {
  const { tryRun, stored } = aRun({ admit: admitOnce(new Error('A table is locked.')) })
  await expect(tryRun(() => Promise.reject(new Error('The file is cut off.')))).rejects.toThrow('cut off')
  await expect(tryRun(nothing)).rejects.toThrow('A table is locked.')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING' })
})
