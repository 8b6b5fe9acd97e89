import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { at } from '../support/moment.ts'
import { call, startRun } from '../support/runs.ts'
import { runEvents, runProgress, subscribe } from '../support/subscribe.ts'
import { until } from '../support/until.ts'
import { aRetailer, aSource } from '../support/rows.ts'

// As an API process, so that no clock places events beside the hub.
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const key = await app.keyWith('OPERATE')
const { pool } = app

const watch = (runId: string, after?: number) =>
  subscribe(app.endpoint, key, runProgress, { runId: encodeId('FeedRun', runId), after })
const watchAll = (after?: unknown, filter?: object) => subscribe(app.endpoint, key, runEvents, { after, filter })
const setStage = (id: string, stage: string) => call(pool, 'set_run_stage', id, 1, stage, at())
const gained = (watcher: ReturnType<typeof subscribe>, count: number) =>
  until(`${count} messages`, () => watcher.messages.length >= count)
/** Messages in short: what it is, the number and, of events, the kind. */
const told = ({ messages }: ReturnType<typeof subscribe>) =>
  messages.map(({ __typename, number, kind }) =>
    [__typename, number, kind].filter((part) => part !== undefined).join(' '),
  )

test('issue 4 §3: runProgress gives the present state, then every later event, and completes when the run ends', async () => {
  const { id } = await startRun(pool)
  await setStage(id, 'DOWNLOAD')
  const watcher = watch(id)
  await gained(watcher, 1)
  await setStage(id, 'PARSE')
  await call(pool, 'add_run_progress', id, 1, { rows: 7 }, at(1))
  await call(pool, 'finish_run', id, 1, at(2))
  await watcher.over
  expect(watcher.messages).toEqual([
    {
      __typename: 'RunState',
      number: 2,
      run: { id: encodeId('FeedRun', id), kind: 'FEED', status: 'RUNNING', stage: 'DOWNLOAD', counters: {} },
    },
    expect.objectContaining({ number: 3, kind: 'STAGE', stage: 'PARSE', runId: encodeId('FeedRun', id) }),
    expect.objectContaining({ number: 4, kind: 'PROGRESS', stage: 'PARSE', counters: { rows: 7 }, mergedCount: 0 }),
    expect.objectContaining({ number: 5, kind: 'SUCCEEDED', counters: { rows: 7 } }),
  ])
  expect(watcher.errors).toEqual([])
})

test('a run that has ended gives its state and completes at once', async () => {
  const { id } = await startRun(pool)
  await call(pool, 'fail_run', id, 1, 'BROKEN', 'It broke.', null, at(1))
  const watcher = watch(id)
  await watcher.over
  expect(told(watcher)).toEqual(['RunState 2'])
})

test('issue 4 §3: `after` resumes behind the last event seen, also when the run has ended meanwhile', async () => {
  const { id } = await startRun(pool)
  await setStage(id, 'A')
  const live = watch(id, 1)
  await gained(live, 2)
  expect(told(live)).toEqual(['RunState 2', 'RunEvent 2 STAGE'])
  await setStage(id, 'B')
  await call(pool, 'finish_run', id, 1, at(1))
  await live.over
  expect(told(live).slice(2)).toEqual(['RunEvent 3 STAGE', 'RunEvent 4 SUCCEEDED'])
  const late = watch(id, 0)
  await late.over
  expect(told(late)).toEqual([
    'RunState 4',
    'RunEvent 1 STARTED',
    'RunEvent 2 STAGE',
    'RunEvent 3 STAGE',
    'RunEvent 4 SUCCEEDED',
  ])
  const nothing = watch(id, 4)
  await nothing.over
  expect(told(nothing)).toEqual(['RunState 4'])
})

test.each([2, -1])('a number that no event of the run has is refused: %i', async (after) => {
  const { id } = await startRun(pool)
  const watcher = watch(id, after)
  await watcher.over
  expect(watcher.errors).toEqual([
    expect.objectContaining({
      message: `after: the run has no event ${after}; its last one is 1.`,
      extensions: expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'after' }) as unknown,
    }),
  ])
})

test('a run that there is not, and an id of something else, are refused', async () => {
  const missing = watch('9000000000')
  await missing.over
  expect(missing.errors[0]).toMatchObject({ message: 'There is no such run.', extensions: { code: 'NOT_FOUND' } })
  const other = subscribe(app.endpoint, key, runProgress, { runId: encodeId('CrawlRun', (await startRun(pool)).id) })
  await other.over
  expect(other.errors[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } })
  const wrong = subscribe(app.endpoint, key, runProgress, { runId: encodeId('Source', 1) })
  await wrong.over
  expect(wrong.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'runId' } })
})

test('issue 4 §3: runEvents begins now, or behind a cursor, and loses and repeats nothing', async () => {
  const [before, watcher] = [await startRun(pool), watchAll()]
  await gained(watcher, 1)
  expect(watcher.messages[0]).toEqual({ __typename: 'StreamStart', cursor: expect.any(String) as unknown })
  await setStage(before.id, 'A')
  const second = await startRun(pool, { kind: 'SWEEP' })
  await gained(watcher, 3)
  expect(watcher.messages.slice(1)).toMatchObject([
    { runId: encodeId('FeedRun', before.id), number: 2 },
    { runId: encodeId('CrawlRun', second.id), number: 1 },
  ])
  watcher.leave()
  await setStage(before.id, 'B')
  const resumed = watchAll(watcher.messages[1]?.cursor)
  await gained(resumed, 3)
  await setStage(second.id, 'C')
  await gained(resumed, 4)
  expect(told(resumed)).toEqual(['StreamStart', 'RunEvent 1 STARTED', 'RunEvent 3 STAGE', 'RunEvent 2 STAGE'])
  resumed.leave()
})

test('whoever is cut off before the first event resumes from where the stream began', async () => {
  const watcher = watchAll()
  await gained(watcher, 1)
  watcher.leave()
  await startRun(pool)
  const resumed = watchAll(watcher.messages[0]?.cursor)
  await gained(resumed, 2)
  expect(told(resumed)).toEqual(['StreamStart', 'RunEvent 1 STARTED'])
  resumed.leave()
})

test('runEvents sends what its filter lets pass', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool))
  const filters = [
    { runKinds: ['SCRAPE', 'SWEEP'] },
    { kinds: ['SUCCEEDED', 'FAILED'] },
    { trigger: 'MANUAL' },
    { sourceId: encodeId('Source', sourceId) },
  ]
  const watchers = filters.map((filter) => watchAll(undefined, filter))
  const everything = watchAll()
  await Promise.all([...watchers, everything].map((watcher) => gained(watcher, 1)))
  await startRun(pool)
  const scrape = await startRun(pool, { kind: 'SCRAPE', trigger: 'MANUAL', sourceId })
  await call(pool, 'finish_run', scrape.id, 1, at(1))
  await gained(everything, 4)
  const [started, ended] = ['RunEvent 1 STARTED', 'RunEvent 2 SUCCEEDED']
  const wanted = [[started, ended], [ended], [started, ended], [started, ended]]
  for (const [index, watcher] of watchers.entries()) {
    await gained(watcher, wanted[index]!.length + 1)
    expect(told(watcher).slice(1)).toEqual(wanted[index])
    watcher.leave()
  }
  everything.leave()
})

test('issue 4 §3: while a transaction with an event is open, the events of other runs arrive within a second', async () => {
  const { id } = await startRun(pool)
  const watcher = watchAll()
  await gained(watcher, 1)
  const client = await pool.connect()
  await client.query('begin')
  await call(client, 'set_run_stage', id, 1, 'long', at())
  const started = performance.now()
  const other = await startRun(pool)
  await gained(watcher, 2)
  expect(performance.now() - started).toBeLessThan(1_000)
  await client.query('commit')
  client.release()
  await gained(watcher, 3)
  expect(watcher.messages.slice(1)).toMatchObject([
    { runId: encodeId('FeedRun', other.id), number: 1 },
    { runId: encodeId('FeedRun', id), number: 2 },
  ])
  watcher.leave()
})

test('RULINGS 4: a cursor older than what is kept has expired; the oldest that is kept has not', async () => {
  const { id } = await startRun(pool)
  const watcher = watchAll()
  await gained(watcher, 1)
  for (const stage of ['A', 'B']) await setStage(id, stage)
  await call(pool, 'finish_run', id, 1, at(1))
  await gained(watcher, 4)
  watcher.leave()
  const [start, first] = [watcher.messages[0]?.cursor, watcher.messages[1]?.cursor]
  const { rows } = await pool.query<{ position: string }>(
    'delete from freshet.run_events where run_id = $1 and number <= 2 returning position',
    [id],
  )
  await pool.query('update freshet.event_stream set pruned_position = $1', [rows.at(-1)?.position])
  const expired = watchAll(start)
  await expired.over
  expect(expired.errors).toEqual([
    expect.objectContaining({
      message: 'The events behind this cursor are no longer kept.',
      extensions: expect.objectContaining({ code: 'CURSOR_EXPIRED', field: 'after' }) as unknown,
    }),
  ])
  const kept = watchAll(first)
  await gained(kept, 3)
  expect(told(kept)).toEqual(['StreamStart', 'RunEvent 3 STAGE', 'RunEvent 4 SUCCEEDED'])
  kept.leave()
  for (const [after, code] of [
    [1, 'CURSOR_EXPIRED'],
    [2, undefined],
  ] as const) {
    const one = watch(id, after)
    await one.over
    expect(one.errors[0]?.extensions.code).toBe(code)
  }
})

test('a cursor that this database never gave, and what is no cursor, are refused', async () => {
  const { rows } = await pool.query<{ next: string }>('select last_position + 1 as next from freshet.event_stream')
  const next = Buffer.from(JSON.stringify(['runEvents', rows[0]!.next])).toString('base64url')
  const [ahead, nonsense] = [watchAll(next), watchAll('nonsense')]
  await Promise.all([ahead.over, nonsense.over])
  expect(ahead.errors[0]).toMatchObject({ extensions: { code: 'CURSOR_EXPIRED', field: 'after' } })
  expect(nonsense.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'after' } })
})

test('one who leaves a quiet stream leaves nothing behind', async () => {
  const { id } = await startRun(pool)
  const watchers = [watch(id), watchAll()]
  await Promise.all(watchers.map((watcher) => gained(watcher, 1)))
  for (const watcher of watchers) watcher.leave()
  await until('nothing is left', async () =>
    (await (await fetch(`${app.url}/metrics`)).text()).includes('\nfreshet_subscribers 0\n'),
  )
})

test('RULINGS 5: a quiet stream says that it lives, as a message without a cursor', async () => {
  await using lively = await startTestApp({ env: { FRESHET_ROLE: 'api' }, keepAliveMs: 20 })
  const own = await lively.keyWith('OPERATE')
  const { id } = await startRun(lively.pool)
  const one = subscribe(lively.endpoint, own, runProgress, { runId: encodeId('FeedRun', id) })
  const all = subscribe(lively.endpoint, own, runEvents)
  await Promise.all([gained(one, 3), gained(all, 3)])
  for (const { messages } of [one, all])
    expect(messages.slice(1, 3)).toEqual(
      [1, 2].map(() => ({ __typename: 'KeepAlive', at: expect.any(String) as unknown })),
    )
  one.leave()
  all.leave()
})
