import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { jobsIn, makeFailure, makeJob, makeQueue, startRunOf } from '../support/queue.ts'
import { storedRun } from '../support/runs.ts'
import { statementsOf, withoutKeyLookup } from '../support/statements.ts'
import { until } from '../support/until.ts'
import { inTurn, whileHeld } from '../support/while-held.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = await app.keyWith('OPERATE')

let count = 0
let queue = ''
beforeEach(async () => {
  queue = `order-${String.fromCodePoint(97 + Math.floor(count / 26))}${String.fromCodePoint(97 + (count++ % 26))}`
  await makeQueue(pool, queue)
})

type Job = { id: string; queue: string; state: string } & Record<string, unknown>
type Page = { nodes: Job[]; totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string } }

const ask = <Data>(query: string, variables: object = {}) => app.ask<Data>(query, variables, { key })
const fields =
  'id queue state payload attempt error { code message hint } note repeatedAs run { __typename status errorCode isCounted }'
const list = `query ($filter: JobFilter, $first: Int, $after: String) {
  jobs(filter: $filter, first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { ${fields} } } }`
const jobs = async (filter: object, page: object = {}): Promise<Page> => {
  const { data, errors } = await ask<{ jobs: Page }>(list, { filter, ...page })
  expect(errors).toBeUndefined()
  return data!.jobs
}
const change = (name: 'retryJob' | 'cancelJob', variables: object) =>
  ask<Record<string, Job>>(
    `mutation ($queue: String!, $id: ID!) { ${name}(queue: $queue, id: $id) { ${fields} } }`,
    variables,
  )
const redrive = (name: string, limit?: number) =>
  ask<{ redriveQueue: { moved: number; queue: { waiting: number; dead: number } } }>(
    'mutation ($name: String!, $limit: Int) { redriveQueue(name: $name, limit: $limit) { moved queue { waiting dead } } }',
    { name, limit },
  )

test('the queues that pg-boss keeps for itself are neither listed nor asked for', async () => {
  await makeQueue(pool, '__pgboss__orders')
  const { data } = await ask<{ queues: { name: string }[] }>('{ queues { name } }')
  expect(data!.queues.map(({ name }) => name).filter((name) => name.startsWith('__'))).toEqual([])
  const { errors } = await ask(list, { filter: { queue: '__pgboss__orders' } })
  expect(errors).toMatchObject([{ message: 'There is no such queue.', extensions: { code: 'NOT_FOUND' } }])
  expect(errors?.[0]?.extensions.hint).not.toContain('__')
})

test('queues shows what lies in each, with its settings, in one statement', async () => {
  await makeJob(pool, queue)
  await makeFailure(pool, queue)
  const query = `{ queues { name waiting active delayed failed dead oldestSeconds completedLastMinute completedLastHour
    policy retryWaitSeconds expireSeconds heartbeatSeconds keepSeconds deadQueue } }`
  const sent = withoutKeyLookup(await statementsOf(() => ask(query)))
  expect(sent).toHaveLength(1)
  const { data } = await ask<{ queues: { name: string; oldestSeconds: number }[] }>(query)
  const found = data!.queues.find(({ name }) => name === queue)
  expect(found).toEqual({
    name: queue,
    waiting: 1,
    active: 0,
    delayed: 0,
    failed: 1,
    dead: 1,
    oldestSeconds: expect.any(Number) as number,
    completedLastMinute: 0,
    completedLastHour: 0,
    policy: 'standard',
    retryWaitSeconds: null,
    expireSeconds: 70,
    heartbeatSeconds: 10,
    keepSeconds: 259_200,
    deadQueue: `${queue}-dead`,
  })
})

test('a queue of the program tells its retry waits', async () => {
  const { data } = await ask<{ queues: { name: string; retryWaitSeconds: number[] | null }[] }>(
    '{ queues { name retryWaitSeconds } }',
  )
  const notify = data!.queues.find(({ name }) => name === 'notify')
  expect(notify?.retryWaitSeconds?.length).toBeGreaterThan(0)
})

test('a job shows what it carries, its attempt and why it failed, and its run', async () => {
  const { id } = await makeFailure(pool, queue, { payload: { feedId: '7' } })
  const run = await startRunOf(pool, id)
  await pool.query("select freshet.fail_run($1, 1, 'FEED_GONE', 'Gone.', null, now())", [run.id])
  const { nodes } = await jobs({ queue, state: 'FAILED' })
  expect(nodes).toEqual([
    {
      id,
      queue,
      state: 'FAILED',
      payload: { feedId: '7' },
      attempt: 3,
      error: { code: 'FEED_GONE', message: 'The file is gone.', hint: 'Ask the network.' },
      note: null,
      repeatedAs: null,
      run: { __typename: 'FeedRun', status: 'FAILED', errorCode: 'FEED_GONE', isCounted: true },
    },
  ])
  const [letter] = (await jobs({ queue, state: 'DEAD' })).nodes
  expect(letter).toMatchObject({ queue: `${queue}-dead`, state: 'DEAD', run: { status: 'FAILED' } })
  expect(letter?.error).toMatchObject({ code: 'FEED_GONE' })
})

test('nothing that looks like a secret is shown of a job', async () => {
  const secret = `frs_${'x'.repeat(43)}`
  const output = { code: 'X', message: `No answer from https://me:hunter2@shop.example with ${secret}.` }
  await makeJob(pool, queue, { state: 'failed', output }, { url: 'ftp://me:hunter2@a.example', apiKey: 'abc', n: 1 })
  const text = JSON.stringify(await jobs({ queue }))
  expect(text).not.toMatch(/hunter2|abc|xxxxx/)
  expect((await jobs({ queue })).nodes[0]?.payload).toEqual({
    url: 'ftp://me:********@a.example',
    apiKey: '********',
    n: 1,
  })
})

test('each state lists its own', async () => {
  const later = new Date(Date.now() + 60_000)
  const made: Record<string, string> = {
    WAITING: await makeJob(pool, queue),
    DELAYED: await makeJob(pool, queue, {
      start_after: later,
      state: 'retry',
      output: { snoozed: 'The feed is busy.' },
    }),
    ACTIVE: await makeJob(pool, queue, { state: 'active' }),
    COMPLETED: await makeJob(pool, queue, { state: 'completed', output: { message: 'no failure' } }),
    CANCELLED: await makeJob(pool, queue, { state: 'cancelled', output: { cancelled: 'Nothing to do.' } }),
    FAILED: (await makeFailure(pool, queue)).id,
  }
  for (const [state, id] of Object.entries(made)) {
    const { nodes, totalCount } = await jobs({ queue, state })
    expect({ state, found: nodes.map((job) => [job.id, job.state]), totalCount }).toEqual({
      state,
      found: [[id, state]],
      totalCount: 1,
    })
  }
  expect((await jobs({ queue, state: 'DELAYED' })).nodes[0]).toMatchObject({ note: 'The feed is busy.', attempt: 1 })
  expect((await jobs({ queue, state: 'COMPLETED' })).nodes[0]?.error).toBeNull()
  expect((await jobs({ queue })).totalCount).toBe(6)
  expect((await jobs({ queue: `${queue}-dead` })).nodes.map(({ state }) => state)).toEqual(['DEAD'])
})

test('pages follow each other newest first, also among jobs of one moment', async () => {
  const at = new Date()
  for (let number = 0; number < 7; number++) await makeJob(pool, queue, { created_on: at }, { number })
  await makeJob(pool, queue, { created_on: new Date(at.getTime() - 1) }, { number: 'old' })
  const seen: Job[] = []
  for (let after: string | undefined, more = true; more;) {
    const { nodes, pageInfo } = await jobs({ queue }, { first: 3, after })
    seen.push(...nodes)
    ;[after, more] = [pageInfo.endCursor, pageInfo.hasNextPage]
  }
  expect(new Set(seen.map(({ id }) => id)).size).toBe(8)
  expect(seen.at(-1)?.payload).toEqual({ number: 'old' })
})

test('the run of twenty jobs costs one statement more', async () => {
  for (let number = 0; number < 20; number++) await startRunOf(pool, await makeJob(pool, queue))
  const query = `{ jobs(filter: { queue: "${queue}" }) { nodes { run { status } } } }`
  const sent = await statementsOf(() => ask(query))
  expect(sent.filter((text) => /pgboss\.job j|"runs"/.test(text))).toHaveLength(2)
})

test.each([
  ['retryJob', { queue: 'nowhere', id: randomUUID() }, 'queue', 'There is no such queue.'],
  ['retryJob', { id: randomUUID() }, 'id', 'There is no such job.'],
  ['cancelJob', { id: randomUUID() }, 'id', 'There is no such job.'],
  ['cancelJob', { id: 'x' }, 'id', 'There is no such job.'],
] as const)('%s of what is not there is NOT_FOUND (%o)', async (name, place, field, message) => {
  const { errors } = await change(name, { queue, ...place })
  expect(errors).toMatchObject([{ message, extensions: { code: 'NOT_FOUND', field } }])
})

test('a wrong queue is answered with the names there are, and a job of another queue with where it lies', async () => {
  const { id } = await makeFailure(pool, queue)
  const nowhere = await change('retryJob', { queue: 'nowhere', id })
  expect(nowhere.errors?.[0]?.extensions.hint).toContain(`${queue}, ${queue}-dead`)
  const { errors } = await change('retryJob', { queue: `${queue}-dead`, id })
  expect(errors).toMatchObject([
    {
      message: 'There is no such job in this queue.',
      extensions: { code: 'NOT_FOUND', field: 'id', hint: `It lies in the queue "${queue}": name that one.` },
    },
  ])
})

test('RULINGS 1: retryJob makes a new job, hence a new run, and leaves the old run as it ended', async () => {
  const { id } = await makeFailure(pool, queue, { payload: { feedId: '1' } })
  const run = await startRunOf(pool, id)
  await pool.query("select freshet.fail_run($1, 1, 'FEED_GONE', 'Gone.', null, now())", [run.id])
  // Places are given after commit, by whoever comes first: they are no change that retrying makes.
  const isPlaced = async () => (await storedRun(pool, run.id)).events.every(({ position }) => position !== null)
  await until('its events have their places', isPlaced)
  const before = await storedRun(pool, run.id)
  const { data } = await change('retryJob', { queue, id })
  const next = data!.retryJob!
  expect(next).toMatchObject({ queue, state: 'WAITING', payload: { feedId: '1' }, attempt: 0, run: null })
  expect(next.id).not.toBe(id)
  expect((await startRunOf(pool, next.id)).attempt).toBe(1)
  expect(await storedRun(pool, run.id)).toEqual(before)
  expect((await jobs({ queue, state: 'REPEATED' })).nodes).toMatchObject([{ id, repeatedAs: next.id }])
  const { errors } = await change('retryJob', { queue, id })
  expect(errors).toMatchObject([
    { message: `The job was repeated already, as ${next.id}.`, extensions: { code: 'CONFLICT' } },
  ])
})

test('retryJob takes a dead letter as well, by its own id', async () => {
  const { id, letterId } = await makeFailure(pool, queue, { payload: { feedId: '2' } })
  const { data } = await change('retryJob', { queue: `${queue}-dead`, id: letterId })
  expect(data!.retryJob).toMatchObject({ queue, state: 'WAITING', payload: { feedId: '2' } })
  expect(await jobsIn(pool, `${queue}-dead`)).toEqual([])
  expect((await jobs({ queue, state: 'REPEATED' })).nodes.map((job) => job.id)).toEqual([id])
})

test.each([
  ['created', 'The job waits to be worked on.'],
  ['retry', 'The job waits to be worked on.'],
  ['active', 'The job is being worked on.'],
  ['completed', 'The job ended well.'],
])('retryJob of a job that is %s is a conflict that says so, and changes nothing', async (state, message) => {
  const id = await makeJob(pool, queue, { state })
  const { errors } = await change('retryJob', { queue, id })
  expect(errors).toMatchObject([{ message, extensions: { code: 'CONFLICT', field: 'id' } }])
  expect(await jobsIn(pool, queue)).toMatchObject([{ id, state }])
})

test.each(['created', 'retry', 'active'])(
  'RULINGS 1: cancelJob of a job that is %s ends its run as CANCELLED_BY_OPERATOR, not counted',
  async (state) => {
    const id = await makeJob(pool, queue, { state })
    const run = await startRunOf(pool, id)
    const { data } = await change('cancelJob', { queue, id })
    expect(data!.cancelJob).toMatchObject({
      state: 'CANCELLED',
      note: expect.stringMatching(/^Cancelled by OPERATE \(frs_/) as string,
      run: { status: 'FAILED', errorCode: 'CANCELLED_BY_OPERATOR', isCounted: false },
    })
    const write = pool.query('select freshet.set_run_stage($1, 1, $2, now())', [run.id, 'WRITE'])
    await expect(write).rejects.toMatchObject({ code: 'FR021' })
  },
)

test.each([
  ['completed', 'The job ended well already.'],
  ['failed', 'The job failed already.'],
  ['cancelled', 'The job was cancelled already.'],
])('cancelJob of a job that is %s is a conflict that says so', async (state, message) => {
  const id = await makeJob(pool, queue, { state })
  const { errors } = await change('cancelJob', { queue, id })
  expect(errors).toMatchObject([{ message, extensions: { code: 'CONFLICT' } }])
})

test('cancelJob dismisses a dead letter, once its failure is recorded', async () => {
  const { letterId } = await makeFailure(pool, queue)
  const { letterId: untold } = await makeFailure(pool, queue, { letter: 'created' })
  const { data } = await change('cancelJob', { queue: `${queue}-dead`, id: letterId })
  expect(data!.cancelJob?.state).toBe('CANCELLED')
  const { errors } = await change('cancelJob', { queue: `${queue}-dead`, id: untold })
  expect(errors).toMatchObject([{ message: 'The failure of this job is not recorded yet.' }])
  expect((await jobs({ queue, state: 'DEAD' })).nodes.map(({ id }) => id)).toEqual([untold])
  expect((await redrive(queue)).data?.redriveQueue.moved).toBe(0)
})

type Wish = 'retryJob' | 'cancelJob'
type Place = { queue: string; id: string }
const lockJob =
  ({ id }: Place) =>
  (client: pg.PoolClient) =>
    client.query('select from pgboss.job where id = $1 for update', [id])

/** What wishes about a job were answered, what is on record of them, and how many jobs wait. */
async function outcomeOf(answers: Awaited<ReturnType<typeof change>>[], { id }: Place) {
  const text = 'select action from freshet.audit_log where object_id = $1 order by id'
  const { rows } = await pool.query<{ action: string }>(text, [id])
  return {
    codes: answers.map(({ errors }) => errors?.[0]?.extensions.code),
    recorded: rows.map(({ action }) => action),
    waiting: (await jobs({ queue, state: 'WAITING' })).totalCount,
  }
}

test.each<[Wish, Wish, object]>([
  ['retryJob', 'cancelJob', { recorded: ['RETRY_JOB'], waiting: 1 }],
  ['cancelJob', 'retryJob', { recorded: ['CANCEL_JOB'], waiting: 0 }],
  ['retryJob', 'retryJob', { recorded: ['RETRY_JOB'], waiting: 1 }],
  ['cancelJob', 'cancelJob', { recorded: ['CANCEL_JOB'], waiting: 0 }],
])('%s and %s of one dead letter at once: the first wins, the other is a conflict', async (first, second, left) => {
  const { letterId } = await makeFailure(pool, queue)
  const place = { queue: `${queue}-dead`, id: letterId }
  const answers = await inTurn(pool, lockJob(place), [() => change(first, place), () => change(second, place)])
  expect(await outcomeOf(answers, place)).toEqual({ codes: [undefined, 'CONFLICT'], ...left })
})

test.each<[string, Wish, Wish, object]>([
  ['failed', 'retryJob', 'cancelJob', { recorded: ['RETRY_JOB'], waiting: 1 }],
  ['created', 'cancelJob', 'retryJob', { recorded: ['CANCEL_JOB'], waiting: 0 }],
])('while a job that is %s waits for %s, %s is a conflict', async (state, first, second, left) => {
  const place = { queue, id: await makeJob(pool, queue, { state }) }
  const late: Awaited<ReturnType<typeof change>>[] = []
  const early = await whileHeld(
    pool,
    lockJob(place),
    () => change(first, place),
    async () => void late.push(await change(second, place)),
  )
  expect(await outcomeOf([early, ...late], place)).toEqual({ codes: [undefined, 'CONFLICT'], ...left })
})

test('of retryJob and cancelJob, ten of each at once, exactly one wins', async () => {
  const { letterId } = await makeFailure(pool, queue)
  const place = { queue: `${queue}-dead`, id: letterId }
  const wishes = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'retryJob' : 'cancelJob'))
  const answers = await Promise.all(wishes.map((wish) => change(wish, place)))
  const { codes, recorded, waiting } = await outcomeOf(answers, place)
  const winner = wishes[codes.indexOf(undefined)]
  expect(codes.filter((code) => code === undefined)).toHaveLength(1)
  expect(codes.every((code) => code === undefined || code === 'CONFLICT' || code === 'NOT_FOUND')).toBe(true)
  expect({ recorded, waiting }).toEqual(
    winner === 'retryJob' ? { recorded: ['RETRY_JOB'], waiting: 1 } : { recorded: ['CANCEL_JOB'], waiting: 0 },
  )
})

test.each([
  [1, 1],
  [1000, 3],
])('redriveQueue with limit %i moves %i of three', async (limit, moved) => {
  for (let number = 0; number < 3; number++) await makeFailure(pool, queue)
  const { data } = await redrive(queue, limit)
  expect(data).toEqual({ redriveQueue: { moved, queue: { waiting: moved, dead: 3 - moved } } })
})

test.each([0, 1001, -1])('redriveQueue refuses limit %i', async (limit) => {
  await makeFailure(pool, queue)
  const { errors } = await redrive(queue, limit)
  expect(errors).toMatchObject([
    { message: 'limit: must be from 1 to 1000.', extensions: { code: 'BAD_USER_INPUT', field: 'limit' } },
  ])
  expect((await jobs({ queue, state: 'DEAD' })).totalCount).toBe(1)
})

test('redriveQueue of a queue without dead letters of its own is refused', async () => {
  expect((await redrive(`${queue}-dead`)).errors).toMatchObject([{ extensions: { code: 'CONFLICT', field: 'name' } }])
  expect((await redrive('nowhere')).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', field: 'name' } }])
})
