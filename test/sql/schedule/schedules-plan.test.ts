import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { aSchedule } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const minute = new Date('2026-01-01T00:00Z')

const insert = (values: Record<string, unknown>) => aSchedule(pool, values)
const nextRunAt = async (id: string) =>
  (await pool.query<{ at: Date | null }>('select next_run_at as at from freshet.schedules where id = $1', [id])).rows[0]
    ?.at
const set = (id: string, assignment: string) =>
  pool.query(`update freshet.schedules set ${assignment} where id = $1`, [id])

/** Whether a schedule is due at the first New Year or the like that lies ahead, which no test run is long enough to reach. */
const isAhead = (at: Date | null | undefined, month: number) =>
  at instanceof Date && at > new Date() && at.getUTCMonth() === month && at.getUTCDate() === 1

test('issue 4 §2: a bad expression is refused when it is stored and when it is changed', async () => {
  const refusal = { code: 'FR031', detail: 'position 3, field hour' }
  await expect(insert({ cron: '0 24 * * *' })).rejects.toMatchObject(refusal)
  const id = await insert({ cron: '0 23 * * *', next_run_at: minute })
  await expect(set(id, "cron = '0 24 * * *'")).rejects.toMatchObject(refusal)
  expect(await nextRunAt(id)).toEqual(minute)
})

test.each(['Mars/Base', 'CET', 'PST', 'EST', 'UTC+3', 'Foo/Bar3', '+02:00', '', 'Europe/Vienna '])(
  'issue 4 §2: the zone "%s" is refused when it is stored',
  async (zone) => {
    await expect(insert({ cron: '@daily', time_zone: zone })).rejects.toMatchObject({
      code: 'FR032',
      message: `There is no time zone "${zone}".`,
      hint: expect.stringContaining('IANA') as string,
    })
  },
)

test.each(['UTC', 'GMT', 'Japan', 'Etc/GMT+5', 'Europe/Vienna', 'America/Port-au-Prince', 'America/Argentina/Ushuaia'])(
  'the zone "%s" is taken',
  async (zone) => {
    expect(await nextRunAt(await insert({ cron: '@daily', time_zone: zone }))).toBeInstanceOf(Date)
  },
)

test('a zone that is changed to an unknown one is refused', async () => {
  const id = await insert({ cron: '@daily' })
  await expect(set(id, "time_zone = 'Mars/Base'")).rejects.toMatchObject({ code: 'FR032' })
})

test('an enabled schedule is planned when it is stored, in its zone', async () => {
  expect(isAhead(await nextRunAt(await insert({ cron: '0 0 1 1 *' })), 0)).toBe(true)
  const inVienna = await nextRunAt(await insert({ cron: '0 2 1 7 *', time_zone: 'Europe/Vienna' }))
  expect(inVienna?.toISOString()).toMatch(/-07-01T00:00:00.000Z$/)
})

test('a period begins when its schedule is stored', async () => {
  const sql =
    "insert into freshet.schedules (name, kind, queue, period_seconds) values ('p', 'test', 'q', 90) returning next_run_at - now() as wait"
  expect((await pool.query<{ wait: object }>(sql)).rows[0]?.wait).toMatchObject({ minutes: 1, seconds: 30 })
})

test('a time that the writer gave is kept', async () => {
  const id = await insert({ cron: '0 0 1 1 *', next_run_at: minute })
  expect(await nextRunAt(id)).toEqual(minute)
  await set(id, "cron = '0 0 1 7 *', next_run_at = '2026-01-02Z'")
  expect(await nextRunAt(id)).toEqual(new Date('2026-01-02Z'))
})

test('RULINGS 11: disabling clears the time and enabling plans afresh', async () => {
  const id = await insert({ cron: '0 0 1 1 *', next_run_at: minute, is_enabled: false })
  expect(await nextRunAt(id)).toBeNull()
  await set(id, 'is_enabled = true')
  expect(isAhead(await nextRunAt(id), 0)).toBe(true)
  await set(id, 'is_enabled = false')
  expect(await nextRunAt(id)).toBeNull()
})

test('a new rule plans afresh, and what is no rule does not', async () => {
  const id = await insert({ cron: '0 0 1 1 *', next_run_at: minute })
  await set(id, "payload = '{}', cron = cron")
  expect(await nextRunAt(id)).toEqual(minute)
  await set(id, "cron = '0 0 1 7 *'")
  expect(isAhead(await nextRunAt(id), 6)).toBe(true)
  await set(id, "next_run_at = '2026-01-01Z'")
  expect(await nextRunAt(id)).toEqual(minute)
  await set(id, 'cron = null, period_seconds = 60')
  expect((await nextRunAt(id))?.getTime()).toBeGreaterThan(minute.getTime())
})

test.each([
  ['the moment it is due', '00:00:00', '00:05:00'],
  ['late by less than a period', '00:04:59', '00:05:00'],
  ['late by exactly a period', '00:05:00', '00:10:00'],
  ['after a long downtime', '07:31:10', '07:35:00'],
])('issue 4 §2: a period keeps its phase: %s', async (_when, now, expected) => {
  const sql = 'select freshet.next_run_at(null, $1, 300, $2, $3) as at'
  const { rows } = await pool.query<{ at: Date }>(sql, ['UTC', minute, new Date(`2026-01-01T${now}Z`)])
  expect(rows).toEqual([{ at: new Date(`2026-01-01T${expected}Z`) }])
})

test('issue 4 §2: after downtime a cron expression is due at its next time, without a backlog', async () => {
  const sql = "select freshet.next_run_at('*/15 * * * *', 'UTC', null, $1, $2) as at"
  const { rows } = await pool.query<{ at: Date }>(sql, [minute, new Date('2026-01-02T10:20Z')])
  expect(rows).toEqual([{ at: new Date('2026-01-02T10:30Z') }])
})

test('next_run_at is inlined, so that a period costs no call', async () => {
  const sql =
    "explain (verbose, costs off) update freshet.schedules set next_run_at = freshet.next_run_at(cron, time_zone, period_seconds, next_run_at, '2026-01-01Z')"
  const plan = (await pool.query<{ 'QUERY PLAN': string }>(sql)).rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('freshet.cron_next(')
  expect(plan).not.toContain('next_run_at(')
})
