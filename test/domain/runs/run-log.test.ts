import { afterAll, expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/queue/job-error.ts'
import type { RunContext } from '../../../src/domain/runs/context.ts'
import { tellEnds } from '../../../src/domain/runs/run-log.ts'
import { createLog, withLogFields } from '../../../src/log.ts'
import { aRetailer, aSource } from '../../support/rows.ts'
import { cloneDatabase } from '../../support/database.ts'
import { collectLines } from '../../support/lines.ts'
import { aFeed } from '../../support/offers.ts'
import { call, startRun } from '../../support/runs.ts'
import { nothing, runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { aRun } = runStand(database)

type Line = { event?: string; level: string } & Record<string, unknown>
const eventsOf = (lines: string[]) => lines.map((line) => JSON.parse(line) as Line).filter(({ event }) => event)

test('S2 §17.10: a run that succeeds says so when it begins and ends, with queue, job, run and source on every line', async () => {
  const sourceId = BigInt(await aSource(database.pool, await aRetailer(database.pool)))
  const { run, tryRun, lines, find } = aRun({ sourceId })
  const work = async (context: RunContext) => {
    await context.stage('PARSE')
    await context.progress({ rows: 2 })
  }
  await withLogFields({ queue: 'feed-ingest' }, () => tryRun(work))
  const job = { queue: 'feed-ingest', jobId: run.jobId }
  const own = { ...job, runId: await find(), runAttempt: 1, sourceId: String(sourceId) }
  expect(eventsOf(lines)).toMatchObject([
    { event: 'ADVISORY_LOCK_ACQUIRED', level: 'debug', ...job, ...run.lock },
    { event: 'RUN_START', level: 'info', ...own, kind: 'FEED', trigger: 'SCHEDULED', workerPid: process.pid },
    {
      event: 'RUN_COMPLETE',
      level: 'info',
      ...own,
      status: 'SUCCEEDED',
      stage: 'PARSE',
      durationMs: 0,
      summary: { rows: 2 },
    },
    { event: 'ADVISORY_LOCK_RELEASED', level: 'debug', ...own, ...run.lock },
  ])
})

test('S2 §17.10: a run that fails for good says why; one that is tried again does not', async () => {
  const { tryRun, lines, find } = aRun()
  await expect(tryRun(() => Promise.reject(new Error('a bad line')))).rejects.toThrow('a bad line')
  expect(eventsOf(lines).map(({ event }) => event)).toEqual([
    'ADVISORY_LOCK_ACQUIRED',
    'RUN_START',
    'ADVISORY_LOCK_RELEASED',
  ])
  const wrong = new PermanentError('The password is wrong.', { code: 'SLACK_REFUSED' })
  await expect(tryRun(() => Promise.reject(wrong))).rejects.toThrow('The password is wrong.')
  expect(eventsOf(lines).at(-2)).toMatchObject({
    event: 'RUN_FAILED',
    level: 'info',
    runId: await find(),
    runAttempt: 2,
    code: 'SLACK_REFUSED',
    error: 'The password is wrong.',
  })
})

test('S2 §17.10: a first attempt that finds the lock busy says SKIPPED_LOCK_BUSY', async () => {
  const holder = aRun()
  const late = aRun({ lock: holder.run.lock, trigger: 'SCHEDULED' })
  await holder.tryRun(() => late.tryRun(nothing))
  expect(eventsOf(late.lines)).toMatchObject([
    { event: 'SKIPPED_LOCK_BUSY', level: 'debug', trigger: 'SCHEDULED', ...holder.run.lock },
  ])
})

test.each([
  ['counted, disables its feed', true, 'DISABLED', true, ['FEED_AUTO_DISABLED']],
  ['counted, leaves its feed enabled', true, 'ENABLED', true, []],
  ['not counted, meets a feed that was disabled before', false, 'DISABLED', false, []],
])('S2 §17.9: a failure that is %s, tells so', async (_what, isCounted, status, isPending, told) => {
  const sourceId = await aSource(database.pool, await aRetailer(database.pool), { kind: 'AFFILIATE_FEED' })
  const feedId = await aFeed(database.pool, sourceId, { status: 'ENABLED', consecutive_failures: 1 })
  const { id } = await startRun(database.pool, { sourceId, lock: [4620, Number(feedId)] })
  if (isPending)
    await database.pool.query('update freshet.feed_requests set requested = 1, manual = 1 where feed_id = $1', [feedId])
  await database.pool.query('update freshet.feeds set status = $2::freshet.feed_status where id = $1', [feedId, status])
  await call(database.pool, 'fail_run', id, 1, 'SLACK_REFUSED', 'No.', null, new Date(), isCounted)
  const { lines, stream } = collectLines()
  await tellEnds(database.pool, [id], createLog({ level: 'debug', destination: stream }))
  const ends = eventsOf(lines)
  expect(ends.map(({ event }) => event)).toEqual(['RUN_FAILED', ...told, 'MANUAL_RUN_PENDING_CHECK'])
  const follows = isPending && status === 'ENABLED'
  expect(ends.at(-1)).toMatchObject({
    level: 'debug',
    feedId,
    runId: id,
    pending: isPending,
    enqueuingFollowUp: follows,
  })
})
