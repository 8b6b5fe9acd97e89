import { TestClock } from 'pg-boss'
import { afterAll, expect, test } from 'vitest'
import { sendJob } from '../support/send-job.ts'
import { CancelJob, PermanentError, SnoozeJob } from '../../src/domain/queue/job-error.ts'
import { feedTest } from '../../src/jobs/feed-test.ts'
import type { FinalFailure, Job, JobContext } from '../../src/jobs/kit.ts'
import { cloneDatabase } from '../support/database.ts'
import { advance, openJobs } from '../support/jobs.ts'
import { until } from '../support/until.ts'
import { aJob } from './trial-job.ts'

type Payload = { number: number }
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

/** A queue of its own at work on a clock that the test drives; what each attempt and the final failure were told. */
async function setup(name: string, work: Job<Payload>['work'], options: Parameters<typeof aJob>[2] = {}) {
  await using starting = new AsyncDisposableStack()
  const clock = new TestClock()
  const attempts: JobContext<Payload>[] = []
  const failures: Omit<FinalFailure<Payload>, 'tx' | 'log' | 'services'>[] = []
  const job = aJob(
    name,
    async (context) => {
      attempts.push(context)
      return work(context)
    },
    {
      onFinalFailure: async ({ tx: _tx, log: _log, services: _services, ...told }) => void failures.push(told),
      ...options,
    },
  )
  const jobs = starting.use(await openJobs(database, [job], { clock }))
  const workers = starting.use(await jobs.work())
  const row = async (id: string | undefined) => {
    const text = `select state, output, retry_count, retry_limit, start_after - pgboss.job_now() as wait,
      (select count(*)::int from pgboss.job d where d.source_id = j.id) as dead from pgboss.job j where id = $1 and name = $2`
    const { rows } = await jobs.pool.query<Record<string, unknown>>(text, [id, name])
    return rows[0]
  }
  const stack = starting.move()
  return {
    job,
    jobs,
    workers,
    clock,
    attempts,
    failures,
    row,
    send: (number = 1) => sendJob(jobs.pool, job, { number }),
    /** Waits until a job is in this state. */
    reaches: (id: string | undefined, state: string) =>
      until(`the job is ${state}`, async () => {
        const found = await row(id)
        return found?.state === state && found
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('a job that returns is done, and what it returned is kept', async () => {
  await using stand = await setup('done', async ({ payload }) => ({ twice: payload.number * 2 }))
  const id = await stand.send(21)
  expect(await stand.reaches(id, 'completed')).toMatchObject({ output: { twice: 42 }, dead: 0 })
  expect(stand.attempts).toMatchObject([{ payload: { number: 21 }, jobId: id, attempt: 1, isLastAttempt: false }])
  expect(stand.failures).toEqual([])
})

test('CancelJob ends a job without retry and without failure, and keeps the reason', async () => {
  await using stand = await setup('cancelled', async () => {
    throw new CancelJob('SKIPPED_LOCK_BUSY')
  })
  const id = await stand.send()
  expect(await stand.reaches(id, 'cancelled')).toMatchObject({ output: { cancelled: 'SKIPPED_LOCK_BUSY' }, dead: 0 })
  expect(stand.attempts.length).toBe(1)
})

const odd = 'a\u0000b \uD83D'
const kept = 'a\uFFFDb \uFFFD'

test('what a job returns is kept although Postgres knows no NUL and no half of a character', async () => {
  await using stand = await setup('odd-done', async () => ({ [odd]: [odd] }))
  const id = await stand.send()
  expect(await stand.reaches(id, 'completed')).toMatchObject({ output: { [kept]: [kept] }, dead: 0 })
  expect(stand.attempts.length).toBe(1)
})

test.each([
  ['cancelled', new CancelJob(odd), 'cancelled', { cancelled: kept }],
  ['snoozed', new SnoozeJob(10, odd), 'retry', { snoozed: kept }],
  ['retried', new Error(odd), 'retry', { code: 'UNEXPECTED_ERROR', message: kept, hint: null }],
  [
    'failed',
    new PermanentError(odd, { code: 'SLACK_WEBHOOK_GONE', hint: odd }),
    'failed',
    { code: 'SLACK_WEBHOOK_GONE', message: kept, hint: kept, attempts: 1 },
  ],
])('a job is %s although its words hold a NUL and half of a character', async (name, error, state, output) => {
  await using stand = await setup(`odd-${name}`, async () => {
    throw error
  })
  const id = await stand.send()
  const row = await until(`it is ${state}`, async () => {
    const found = await stand.row(id)
    return found?.state === state && found.output !== null && found
  })
  expect(row).toMatchObject({ output })
})

test('PermanentError is the final failure at once', async () => {
  await using stand = await setup('permanent', async () => {
    throw new PermanentError('The password is wrong.', { code: 'SLACK_REFUSED', hint: 'Enter the new one.' })
  })
  const id = await stand.send(3)
  const error = { code: 'SLACK_REFUSED', message: 'The password is wrong.', hint: 'Enter the new one.' }
  expect(await stand.reaches(id, 'failed')).toMatchObject({ output: error, dead: 1 })
  await advance(stand.clock, 2) // dead letters are found by polling
  await until('it is told', () => stand.failures.length > 0)
  expect(stand.failures).toEqual([{ payload: { number: 3 }, jobId: id, attempts: 1, error }])
  expect(stand.attempts.length).toBe(1)
})

test('issue 5 §6: the letter of a test of a feed that failed is told, then dismissed: its run was the answer', async () => {
  const work = async () => {
    throw new PermanentError('The password is wrong.', { code: 'SLACK_REFUSED' })
  }
  await using stand = await setup('answered', work, feedTest.options)
  const id = await stand.send()
  await stand.reaches(id, 'failed')
  await advance(stand.clock, 2)
  const letter = 'select state, output from pgboss.job where source_id = $1'
  const { state, output } = await until('the letter was told', async () => {
    const { rows } = await stand.jobs.pool.query(letter, [id])
    return rows[0]?.output && rows[0]
  })
  expect(stand.failures.length).toBe(1)
  expect({ state, output }).toMatchObject({ state: 'cancelled', output: { told: { code: 'SLACK_REFUSED' } } })
  const dead = "select dead from freshet.queue_stats(now()) where name = 'answered'"
  expect((await stand.jobs.pool.query(dead)).rows).toEqual([{ dead: 0 }])
})

test('RULINGS 6: three attempts in all, after exactly 5 s and 15 s, then the final failure is told once', async () => {
  await using stand = await setup('flaky', async ({ attempt }) => {
    throw new Error(`no luck with attempt ${attempt}`)
  })
  const id = await stand.send()
  expect(await stand.reaches(id, 'retry')).toMatchObject({ wait: { seconds: 5 }, retry_count: 0 })
  await advance(stand.clock, 4)
  expect(stand.attempts.length).toBe(1)
  await advance(stand.clock, 2)
  await until('the second attempt has ended', async () => (await stand.row(id))?.retry_count === 1 && stand.row(id))
  const second = await stand.reaches(id, 'retry')
  expect(second).toMatchObject({ wait: { seconds: 15 }, output: { message: 'no luck with attempt 2' } })
  await advance(stand.clock, 16)
  await stand.reaches(id, 'failed')
  await advance(stand.clock, 4)
  await until('it is told', () => stand.failures.length > 0)
  await advance(stand.clock, 60)
  expect(stand.attempts.map(({ attempt, isLastAttempt }) => [attempt, isLastAttempt])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ])
  const error = { code: 'UNEXPECTED_ERROR', message: 'no luck with attempt 3', hint: null }
  expect(stand.failures).toEqual([{ payload: { number: 1 }, jobId: id, attempts: 3, error }])
})

test('SnoozeJob puts a job back for exactly as long as it says and costs no attempt, however often', async () => {
  let snoozes = 0
  await using stand = await setup('snoozed', async () => {
    if (++snoozes <= 5) throw new SnoozeJob(10, 'another run holds the lock')
    throw new Error('now it fails')
  })
  const id = await stand.send()
  for (let count = 1; count <= 5; count++) {
    await until('it is snoozed', async () => (await stand.row(id))?.retry_limit === 2 + count)
    expect(await stand.reaches(id, 'retry')).toMatchObject({ wait: { seconds: 10 } })
    await advance(stand.clock, 8)
    expect(snoozes).toBe(count)
    await advance(stand.clock, 2)
  }
  await until('it has failed once', () => snoozes === 6)
  expect(stand.attempts.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1])
  await until('the failure is written', async () => JSON.stringify((await stand.row(id))?.output).includes('fails'))
  expect(await stand.row(id)).toMatchObject({
    state: 'retry',
    output: { message: 'now it fails' },
    wait: { seconds: 5 },
  })
})

test('a row that cannot be read goes to the dead letters with the reason and never reaches the handler', async () => {
  await using stand = await setup('unreadable', async () => {})
  const text = `select freshet.enqueue('unreadable', '{"number": "one"}') as id`
  const { rows } = await stand.jobs.pool.query<{ id: string }>(text)
  const message =
    'The payload of a job of "unreadable" cannot be read: number: Invalid input: expected number, received string.'
  expect(await stand.reaches(rows[0]?.id, 'failed')).toMatchObject({
    output: { code: 'JOB_PAYLOAD_INVALID', message, hint: expect.stringContaining('Enqueue the job again') },
    dead: 1,
  })
  await advance(stand.clock, 2)
  await until('it is told', () => stand.failures.length > 0)
  expect(stand.failures).toMatchObject([{ payload: undefined, error: { code: 'JOB_PAYLOAD_INVALID', message } }])
  expect(stand.attempts).toEqual([])
})

test('an attempt that hangs is told by its signal and given up after expireInSeconds, then tried again', async () => {
  await using stand = await setup('hanging', async ({ attempt }) => {
    if (attempt === 1) await new Promise(() => {})
  })
  const id = await stand.send()
  await until('it hangs', () => stand.attempts.length === 1)
  await advance(stand.clock, 59)
  expect(stand.attempts[0]?.signal.aborted).toBe(false)
  await advance(stand.clock, 2)
  expect(stand.attempts[0]?.signal.aborted).toBe(true)
  expect(await stand.reaches(id, 'retry')).toMatchObject({ output: { code: 'JOB_TIMED_OUT' }, retry_count: 0 })
  expect(stand.jobs.observed).toEqual([{ queue: 'hanging', outcome: 'retried', seconds: 60 }])
  await advance(stand.clock, 6)
  expect(await stand.reaches(id, 'completed')).toMatchObject({ retry_count: 1 })
})

test('a job that was enqueued when its queue allowed one attempt gets one', async () => {
  await using stand = await setup('once', async () => Promise.reject(new Error('no luck')))
  await stand.jobs.pool.query("update pgboss.queue set retry_limit = 0 where name = 'once'")
  const id = await stand.send()
  expect(await stand.reaches(id, 'failed')).toMatchObject({ output: { message: 'no luck' }, dead: 1, retry_count: 0 })
  expect(stand.attempts.length).toBe(1)
})
