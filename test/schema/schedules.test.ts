import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { aSchedule } from '../support/rows.ts'
import { startTestApp } from '../support/app.ts'
import { whileHeld } from '../support/while-held.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const key = await app.keyWith('OPERATE')
type Node = { id: string; [field: string]: unknown }
type Page = { schedules: { nodes: Node[]; [field: string]: unknown } }
const ask = async (query: string, variables: object = {}) => app.ask<Page>(query, variables, { key })
const update =
  'mutation ($input: UpdateScheduleInput!) { updateSchedule(input: $input) { enabled cron timeZone periodSeconds nextRunAt disabledReason } }'
const change = async (id: string, input: object) =>
  app.ask<{ updateSchedule: Record<string, unknown> }>(
    update,
    { input: { id: encodeId('Schedule', id), ...input } },
    { key },
  )

test('issue 4 §2: schedules { driver lastTickAt lagSeconds } shows who drives the clock', async () => {
  await app.pool.query(
    "update freshet.clock set driver = 'pg_cron', last_tick_at = now() - interval '30 seconds', lease_until = now() + interval '2 minutes'",
  )
  const { data } = await ask('{ schedules { driver lastTickAt lagSeconds leaseUntil isLate } }')
  expect(data?.schedules).toEqual({
    driver: 'pg_cron',
    lastTickAt: expect.stringMatching(/Z$/) as unknown,
    lagSeconds: expect.toSatisfy((seconds: number) => seconds >= 30 && seconds < 100) as unknown, // the machine may be busy
    leaseUntil: expect.stringMatching(/Z$/) as unknown,
    isLate: false,
  })
  await app.pool.query("update freshet.clock set last_tick_at = now() - interval '166 seconds'")
  expect((await ask('{ schedules { isLate } }')).data?.schedules).toEqual({ isLate: true })
})

test('maintenance is listed with its times, by name', async () => {
  const { data } = await ask(
    '{ schedules(filter: { kind: "maintenance" }) { nodes { name kind queue cron timeZone periodSeconds enabled lastRunAt lastOutcome } } }',
  )
  expect(data?.schedules.nodes.map(({ name }) => name)).toEqual([
    'prune alerts',
    'prune audit log',
    'prune feed runs',
    'prune pg_cron history',
    'prune run errors',
    'prune run events',
    'prune schedule runs',
    'reap runs',
    'shelve expired offers',
    'warn of expiring offers',
  ])
  expect(data?.schedules.nodes[7]).toEqual({
    name: 'reap runs',
    kind: 'maintenance',
    queue: 'maintenance',
    cron: '*/10 * * * *',
    timeZone: 'UTC',
    periodSeconds: null,
    enabled: true,
    lastRunAt: null,
    lastOutcome: null,
  })
})

test('the history is shown newest first, and the last outcome is that of the last run that ended', async () => {
  const id = await aSchedule(app.pool, { kind: 'told' })
  const record = (outcome: string | null, rows: number | null) =>
    app.pool.query(
      'insert into freshet.schedule_runs (schedule_id, job_id, started_at, outcome, rows_touched) values ($1, $2, now(), $3, $4)',
      [id, randomUUID(), outcome, rows],
    )
  await record('SUCCEEDED', 3)
  await record('FAILED', 1)
  await record(null, null)
  const { data } = await ask(
    '{ schedules(filter: { kind: "told" }) { nodes { lastOutcome history(first: 2) { totalCount nodes { outcome rowsTouched } pageInfo { hasNextPage } } } } }',
  )
  expect(data?.schedules.nodes).toEqual([
    {
      lastOutcome: 'FAILED',
      history: {
        totalCount: 3,
        nodes: [
          { outcome: null, rowsTouched: null },
          { outcome: 'FAILED', rowsTouched: 1 },
        ],
        pageInfo: { hasNextPage: true },
      },
    },
  ])
})

test('a schedule is disabled, and enabled again with its next time and without the reason', async () => {
  const id = await aSchedule(app.pool, { cron: '0 4 * * *' })
  expect((await change(id, { enabled: false })).data?.updateSchedule).toMatchObject({ enabled: false, nextRunAt: null })
  await app.pool.query("update freshet.schedules set disabled_reason = 'it was bad' where id = $1", [id])
  expect((await change(id, { enabled: true })).data?.updateSchedule).toMatchObject({
    enabled: true,
    nextRunAt: expect.stringMatching(/T04:00:00\.000Z$/) as unknown,
    disabledReason: null,
  })
})

test('a schedule that the clock disabled has an alert until it is enabled again', async () => {
  const id = await aSchedule(app.pool, { cron: '0 4 * * *' })
  await app.pool.query("select freshet.disable_schedule($1, 'it was bad', now())", [id])
  const isOpen = async () => {
    const sql = 'select resolved_at is null as open from freshet.alerts where dedupe_key = $1'
    return (await app.pool.query<{ open: boolean }>(sql, [`schedule:${id}`])).rows.map(({ open }) => open)
  }
  expect(await isOpen()).toEqual([true])
  await change(id, { timeZone: 'Europe/Vienna' })
  expect(await isOpen()).toEqual([true])
  await change(id, { enabled: true })
  expect(await isOpen()).toEqual([false])
})

test('the times of a schedule are changed, and a period takes the place of an expression', async () => {
  const id = await aSchedule(app.pool, { cron: '0 4 * * *' })
  expect((await change(id, { cron: '30 4 * * *' })).data?.updateSchedule).toMatchObject({
    cron: '30 4 * * *',
    nextRunAt: expect.stringMatching(/T04:30:00\.000Z$/) as unknown,
  })
  expect((await change(id, { periodSeconds: 90 })).data?.updateSchedule).toMatchObject({
    cron: null,
    periodSeconds: 90,
  })
  expect((await change(id, { cron: '@hourly' })).data?.updateSchedule).toMatchObject({ periodSeconds: null })
})

test.each([
  [{ cron: '0 25 * * *' }, 'input.cron', 'at character 3'],
  [{ timeZone: 'Mars/Olympus' }, 'input.timeZone', 'There is no time zone "Mars/Olympus".'],
  [{ periodSeconds: 59 }, 'input.periodSeconds', 'must be at least 60: the clock beats every 5 s'],
  [{ periodSeconds: 60, cron: '@hourly' }, 'input.periodSeconds', 'a schedule goes by one of them.'],
])('issue 4 §2: %j is refused, with its field and place, and changes nothing', async (input, field, message) => {
  const id = await aSchedule(app.pool, { cron: '0 4 * * *' })
  const before = (await app.pool.query('select * from freshet.schedules where id = $1', [id])).rows
  const { errors } = await change(id, input)
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field })
  expect(errors?.[0]?.message).toContain(message)
  expect((await app.pool.query('select * from freshet.schedules where id = $1', [id])).rows).toEqual(before)
})

test.each([
  [{ cron: '0 4 * * MOND' }, 'It takes 0 to 7 or SUN to SAT (7 is Sunday too)'],
  [{ cron: '@every 5m' }, 'for every 5 minutes write */5 * * * *.'],
  [{ timeZone: 'CEST' }, 'Use a name of the IANA list, such as UTC, Europe/Vienna'],
])('what to write instead of %j is told', async (input, hint) => {
  const { errors } = await change(await aSchedule(app.pool, { cron: '0 4 * * *' }), input)
  expect(errors?.[0]?.extensions.hint).toContain(hint)
})

test.each([
  [
    { cron: '0 25 * * *', timeZone: 'Mars/Olympus' },
    ['input.cron', 'input.timeZone'],
    /at character 3[^]*There is no time zone "Mars\/Olympus"/,
  ],
  [{ cron: '0 25 * * *', timeZone: ' ' }, ['input.cron', 'input.timeZone'], /at character 3[^]*must not be blank/],
  [
    { cron: '', timeZone: 'Mars/Olympus', periodSeconds: 1 },
    ['input.cron', 'input.timeZone', 'input.periodSeconds', 'input.periodSeconds'],
    /no time zone "Mars/,
  ],
])('issue 4 §2: every problem of %j is told at once', async (input, fields, message) => {
  const { errors } = await change(await aSchedule(app.pool, { cron: '0 4 * * *' }), input)
  const problems = errors?.[0]?.extensions.problems as { field: string }[]
  expect(problems.map(({ field }) => field).toSorted()).toEqual(fields.toSorted())
  expect(errors?.[0]?.message).toMatch(message)
})

const run = 'mutation ($id: ID!) { runSchedule(id: $id) { id queue state } }'

test('a change that had to wait for another tells what it replaced, not what was there when it was asked for', async () => {
  const id = await aSchedule(app.pool, { period_seconds: 60 })
  const first = 'update freshet.schedules set period_seconds = 120 where id = $1'
  await whileHeld(
    app.pool,
    (client) => client.query(first, [id]),
    () => change(id, { periodSeconds: 180 }),
  )
  const { rows } = await app.pool.query(
    "select changes from freshet.audit_log where object_type = 'Schedule' and object_id = $1",
    [id],
  )
  expect(rows).toEqual([{ changes: { periodSeconds: { from: 120, to: 180 } } }])
})

test('a schedule is run now: its job is the answer, and its own times stay as they are', async () => {
  const due = new Date('2030-01-01T00:00:00Z')
  const id = await aSchedule(app.pool, { queue: 'maintenance', next_run_at: due })
  const ask = () => app.ask<{ runSchedule: Node }>(run, { id: encodeId('Schedule', id) }, { key })
  const { data } = await ask()
  const { rows } = await app.pool.query(
    "select id, data ->> 'trigger' as trigger from pgboss.job where data ->> 'scheduleId' = $1",
    [id],
  )
  expect(rows).toEqual([{ id: expect.any(String) as string, trigger: 'MANUAL' }])
  expect(data?.runSchedule).toEqual({ id: rows[0].id, queue: 'maintenance', state: 'WAITING' })
  const stored = await app.pool.query('select next_run_at, last_run_at from freshet.schedules where id = $1', [id])
  expect(stored.rows).toEqual([{ next_run_at: due, last_run_at: expect.any(Date) as unknown }])
  expect((await ask()).data).toEqual(data) // the queue takes one job a schedule: the one that waits is the answer
})

test('a schedule whose queue does not exist cannot be run, and the answer says what to do', async () => {
  const id = await aSchedule(app.pool, { queue: 'nowhere' })
  const { errors } = await app.ask(run, { id: encodeId('Schedule', id) }, { key })
  expect(errors?.[0]).toMatchObject({
    message: "This schedule's queue does not exist.",
    extensions: {
      code: 'CONFLICT',
      field: 'id',
      hint: 'Start any process of this version, or run "freshet migrate": both make the queues.',
    },
  })
})

test.each(['updateSchedule', 'runSchedule'])('%s of a schedule that is not there says so', async (mutation) => {
  const id = encodeId('Schedule', '999999')
  const [query, variables] = mutation === 'runSchedule' ? [run, { id }] : [update, { input: { id, enabled: true } }]
  const { errors } = await app.ask(query, variables, { key })
  expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND')
})

test('a schedule that belongs to something is changed and run there, so both are refused here, and nothing is written', async () => {
  const id = await aSchedule(app.pool, { kind: 'feed', subject_id: 7, period_seconds: 60, queue: 'maintenance' })
  const stored = async () => (await app.pool.query('select * from freshet.schedules where id = $1', [id])).rows
  const before = await stored()
  const refusal = {
    message: 'This schedule belongs to a feed.',
    extensions: { code: 'CONFLICT', hint: 'Use updateFeed or runFeed.' },
  }
  for (const changes of [{ enabled: false }, { periodSeconds: 90 }, {}]) {
    const { errors } = await change(id, changes)
    expect(errors).toMatchObject([{ ...refusal, extensions: { ...refusal.extensions, field: 'input.id' } }])
  }
  const run = await ask('mutation ($id: ID!) { runSchedule(id: $id) { id } }', { id: encodeId('Schedule', id) })
  expect(run.errors).toMatchObject([{ ...refusal, extensions: { ...refusal.extensions, field: 'id' } }])
  expect(await stored()).toEqual(before)
  const traces = `select
    (select count(*)::int from pgboss.job where singleton_key = 'schedule:' || $1) as jobs,
    (select count(*)::int from freshet.audit_log where object_type = 'Schedule' and object_id = $1) as records`
  expect((await app.pool.query(traces, [id])).rows).toEqual([{ jobs: 0, records: 0 }])
})
