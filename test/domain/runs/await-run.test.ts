import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { withDeadline } from '../../../src/db/deadline.ts'
import { listen } from '../../../src/db/listen.ts'
import { awaitRun } from '../../../src/domain/runs/await-run.ts'
import { startEventHub, type EventHub } from '../../../src/domain/runs/event-hub.ts'
import { createLog } from '../../../src/log.ts'
import { cloneDatabase } from '../../support/database.ts'
import { collectLines } from '../../support/lines.ts'
import { at } from '../../support/moment.ts'
import { makeJob, makeQueue, startRunOf } from '../../support/queue.ts'
import { call } from '../../support/runs.ts'
import { until } from '../../support/until.ts'

const long = 20_000
const queue = 'trial-await'
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await makeQueue(pool, queue)
const log = createLog({ level: 'silent', destination: collectLines().stream })

/** A job, and who waits for it through a hub. `asked` answers when the waiter has joined the hub for the nth time. */
async function setup() {
  await using starting = new AsyncDisposableStack()
  const listener = starting.use(await listen(database.url, log))
  const hub = starting.use(await startEventHub({ listener, pool, log }))
  const id = await makeJob(pool, queue)
  const joins = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  let count = 0
  const heard: EventHub = {
    ...hub,
    get isStopped() {
      return hub.isStopped
    },
    join(isWanted) {
      joins[count++]?.resolve()
      return hub.join(isWanted)
    },
  }
  const wait = (ms = long, jobId = id) =>
    awaitRun({ hub: heard, pool, now: () => new Date() }, { queue, id: jobId }, ms)
  const setState = (state: string) => pool.query('update pgboss.job set state = $2 where id = $1', [id, state])
  const stack = starting.move()
  return {
    id,
    hub,
    wait,
    setState,
    joined: (nth: number) => joins[nth - 1]!.promise,
    count: () => count,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('RULINGS 21: whoever waits for a job hears of the end of its run, also when it begins later', async () => {
  await using stand = await setup()
  const waiting = stand.wait()
  await stand.joined(2)
  await stand.setState('active')
  const looks = stand.count()
  const run = await startRunOf(pool, stand.id)
  await until('it has looked since', () => stand.count() > looks) // else it may know the job as it was before
  await call(pool, 'finish_run', run.id, 1, at())
  expect(await waiting).toEqual({ jobState: 'ACTIVE', run: { id: BigInt(run.id), status: 'SUCCEEDED' } })
})

test('a run at work is not asked for again until its events tell of its end', async () => {
  await using stand = await setup()
  const run = await startRunOf(pool, stand.id)
  const other = await startRunOf(pool, await makeJob(pool, queue))
  const waiting = stand.wait()
  await stand.joined(2)
  await call(pool, 'set_run_stage', run.id, 1, 'LOGIN', at())
  await call(pool, 'finish_run', other.id, 1, at())
  expect(await Promise.race([waiting, stand.wait(1_200).then(() => 'still waiting')])).toBe('still waiting')
  const before = stand.count()
  await call(pool, 'fail_run', run.id, 1, 'GONE', 'It is gone.', null, at())
  expect((await waiting).run).toEqual({ id: BigInt(run.id), status: 'FAILED' })
  expect(stand.count()).toBe(before + 1)
})

test('RULINGS 21: when the time is over the answer is how far it has come, with the run in progress', async () => {
  await using stand = await setup()
  expect(await stand.wait(50)).toEqual({ jobState: 'WAITING', run: undefined })
  const run = await startRunOf(pool, stand.id)
  await stand.setState('active')
  expect(await stand.wait(50)).toEqual({ jobState: 'ACTIVE', run: { id: BigInt(run.id), status: 'RUNNING' } })
})

test.each([
  ['completed', 'COMPLETED'],
  ['cancelled', 'CANCELLED'],
  ['failed', 'FAILED'],
])('a job without a run that is %s ends the wait', async (state, jobState) => {
  await using stand = await setup()
  const waiting = stand.wait()
  await stand.joined(2)
  await stand.setState(state)
  expect(await waiting).toEqual({ jobState, run: undefined })
})

test('the end of the job does not hide a run that is not over', async () => {
  await using stand = await setup()
  const run = await startRunOf(pool, stand.id)
  await stand.setState('failed')
  expect(await stand.wait(50)).toEqual({ jobState: 'FAILED', run: { id: BigInt(run.id), status: 'RUNNING' } })
})

test('what has ended, or is not there, is answered at once', async () => {
  await using stand = await setup()
  expect(await stand.wait(long, randomUUID())).toEqual({ jobState: undefined, run: undefined })
  const run = await startRunOf(pool, stand.id)
  await call(pool, 'finish_run', run.id, 1, at())
  expect(await stand.wait()).toMatchObject({ run: { status: 'SUCCEEDED' } })
})

test('a request with less time than the wait is answered a second before that is over', async () => {
  await using stand = await setup()
  const { signal } = new AbortController()
  const deadline = { signal, endsAt: performance.now() + 1_100, reachedCommit: false }
  expect(await withDeadline(deadline, () => stand.wait())).toEqual({ jobState: 'WAITING', run: undefined })
  expect(performance.now()).toBeLessThan(deadline.endsAt)
})

test('a request that was given up waits for nothing', async () => {
  await using stand = await setup()
  await startRunOf(pool, stand.id)
  const over = new AbortController()
  const deadline = { signal: over.signal, endsAt: performance.now() + 60_000, reachedCommit: false }
  const waiting = withDeadline(deadline, () => stand.wait())
  await stand.joined(2)
  over.abort(new Error('given up'))
  await expect(waiting).rejects.toThrow('given up')
})

test('a process that stops answers what it knows', async () => {
  await using stand = await setup()
  await startRunOf(pool, stand.id)
  const waiting = stand.wait()
  await stand.joined(2)
  await stand.hub[Symbol.asyncDispose]()
  expect(await waiting).toMatchObject({ jobState: 'WAITING', run: { status: 'RUNNING' } })
})
