import { afterAll, expect, test } from 'vitest'
import { CancelJob, JobError, PermanentError } from '../../../src/domain/queue/job-error.ts'
import { cloneDatabase } from '../../support/database.ts'
import { runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { aRun } = runStand(database)
const uncounted = { code: 'SLACK_REFUSED', isCounted: false } as const

test('a run that finds it is not wanted any more ends, not counted', async () => {
  const { tryRun, stored } = aRun()
  await expect(tryRun(() => Promise.reject(new CancelJob('The feed is paused.')))).rejects.toThrow(CancelJob)
  expect((await stored()).run).toMatchObject({ status: 'FAILED', error_code: 'CANCELLED', is_counted: false })
})

test('RULINGS 16: a run that ends with an error of its own code is not counted where the error says so', async () => {
  const { tryRun, stored } = aRun()
  const error = new PermanentError('The feed is paused.', { ...uncounted, hint: 'Enable it first.' })
  await expect(tryRun(() => Promise.reject(error))).rejects.toBe(error)
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    error_code: 'SLACK_REFUSED',
    error_message: 'The feed is paused.',
    error_hint: 'Enable it first.',
    is_counted: false,
  })
})

test('RULINGS 16: a retry that is not admitted ends the run under its own code, not counted where the error says so', async () => {
  let attempts = 0
  const { tryRun, stored } = aRun({
    admit: async () => {
      if (++attempts > 1) throw new PermanentError('The feed is paused.', uncounted)
      return { kind: 'FEED', trigger: 'SCHEDULED' }
    },
  })
  await expect(tryRun(() => Promise.reject(new Error('The file is cut off.')))).rejects.toThrow('cut off')
  await expect(tryRun(async () => {})).rejects.toThrow('paused')
  expect((await stored()).run).toMatchObject({ status: 'FAILED', error_code: 'SLACK_REFUSED', is_counted: false })
})

test('an error that may be tried again is not counted either where it says so and no attempt is left', async () => {
  const { tryRun, stored } = aRun()
  const work = () => Promise.reject(new JobError('Not now.', uncounted))
  await expect(tryRun(work)).rejects.toThrow('Not now.')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', is_counted: true })
  await expect(tryRun(work, true)).rejects.toThrow('Not now.')
  expect((await stored()).run).toMatchObject({ status: 'FAILED', is_counted: false })
})
