import { afterAll, expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/queue/job-error.ts'
import type { RunContext } from '../../../src/domain/runs/context.ts'
import { withLogFields } from '../../../src/log.ts'
import { aRetailer, aSource } from '../../support/rows.ts'
import { cloneDatabase } from '../../support/database.ts'
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
