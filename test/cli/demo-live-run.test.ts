import { afterAll, expect, test } from 'vitest'
import { playRuns } from '../../src/cli/demo/live-run.ts'
import { cloneDatabase } from '../support/database.ts'
import { storedRun } from '../support/runs.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const runs = async () =>
  (await pool.query<{ id: string; status: string }>('select id, status from freshet.runs order by id')).rows

test('the demo plays one run after the other, and leaves none running', async () => {
  const stop = new AbortController()
  const playing = playRuns(database.url, stop.signal, { stepMs: 0, pauseMs: 0 })
  await until('a second run begins', async () => (await runs()).length >= 2)
  stop.abort()
  await playing
  const [first, ...rest] = await runs()
  expect(first?.status).toBe('SUCCEEDED')
  expect(rest.filter(({ status }) => status === 'RUNNING')).toEqual([])
  const { run, events, totals } = await storedRun(pool, first?.id ?? '')
  expect(events.filter(({ kind }) => kind === 'STAGE').map(({ stage }) => stage)).toEqual([
    'DOWNLOAD',
    'PARSE',
    'STAGE',
    'EVALUATE',
    'PROMOTE',
  ])
  expect(run.counters).toEqual({ bytes: 7_864_320, rows: 7_620, offers: 4_500 })
  expect(totals).toEqual([{ code: 'PRICE_MISSING', total: 1 }])
})

test('the run of the moment is cancelled when the demo stops', async () => {
  const stop = new AbortController()
  const playing = playRuns(database.url, stop.signal, { stepMs: 600_000 })
  await until('a run waits for its first step', async () => (await runs()).at(-1)?.status === 'RUNNING')
  stop.abort()
  await playing
  const { run } = await storedRun(pool, (await runs()).at(-1)?.id ?? '')
  expect(run).toMatchObject({
    status: 'FAILED',
    is_counted: false,
    lock_class: 4620,
    lock_id: 0,
    error_code: 'CANCELLED',
    error_message: 'The demo was stopped.',
  })
})
