import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

/** The next moments of an expression, each found from the one before, to the minute. */
async function next(expression: string, after: string, zone = 'UTC', count = 1): Promise<string[]> {
  const found: string[] = []
  for (let at = after; found.length < count; found.push(at)) {
    const { rows } = await pool.query<{ at: Date }>('select freshet.cron_next($1, $2, $3) as at', [
      expression,
      at,
      zone,
    ])
    at = rows[0]?.at.toISOString() ?? 'null'
  }
  return found.map((at) => at.replace(':00.000Z', 'Z'))
}

test.each([
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01Z'],
  ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01Z'],
  ['30 6 * * *', '2026-01-01T06:29:59.999Z', '2026-01-01T06:30Z'],
  ['30 6 * * *', '2026-01-01T06:30:00Z', '2026-01-02T06:30Z'],
  ['59 23 31 12 *', '2026-12-31T23:58:59Z', '2026-12-31T23:59Z'],
  ['59 23 31 12 *', '2026-12-31T23:59:00Z', '2027-12-31T23:59Z'],
])('issue 4 §2: %s strictly after %s is %s', async (expression, after, expected) => {
  expect(await next(expression, after)).toEqual([expected])
})

test.each([
  ['a list', '5,10 * * * *', ['T00:05Z', 'T00:10Z', 'T01:05Z']],
  ['a list in any order, a value twice', '10,5,10 * * * *', ['T00:05Z', 'T00:10Z', 'T01:05Z']],
  ['a range', '58-59 * * * *', ['T00:58Z', 'T00:59Z', 'T01:58Z']],
  ['a step of all', '*/25 * * * *', ['T00:25Z', 'T00:50Z', 'T01:00Z']],
  ['a step of a range', '1-30/15 * * * *', ['T00:01Z', 'T00:16Z', 'T01:01Z']],
  ['a step from a value on', '7/20 * * * *', ['T00:07Z', 'T00:27Z', 'T00:47Z']],
  ['a list of them', '7/50,0-1 3,*/12 * * *', ['T00:01Z', 'T00:07Z', 'T00:57Z']],
  ['blanks around and tabs between', '  0\t1  *  * * ', ['T01:00Z']],
])('issue 4 §2: %s', async (_what, expression, times) => {
  const expected = times.map((time) => `2026-01-01${time}`)
  expect(await next(expression, '2026-01-01T00:00:00Z', 'UTC', times.length)).toEqual(expected)
})

test.each([
  ['0 0 * * 0', '2026-01-04T00:00Z'],
  ['0 0 * * 7', '2026-01-04T00:00Z'],
  ['0 0 * * sun', '2026-01-04T00:00Z'],
  ['0 0 * * Sat', '2026-01-03T00:00Z'],
  ['0 0 * * 5-7', '2026-01-02T00:00Z'],
  ['0 0 * * SUN-TUE', '2026-01-04T00:00Z'],
  ['0 0 * DEC *', '2026-12-01T00:00Z'],
  ['0 0 1 feb-Mar *', '2026-02-01T00:00Z'],
  ['@hourly', '2026-01-01T13:00Z'],
  ['@daily', '2026-01-02T00:00Z'],
  ['@midnight', '2026-01-02T00:00Z'],
  ['@weekly', '2026-01-04T00:00Z'],
  ['@Monthly', '2026-02-01T00:00Z'],
  ['@yearly', '2027-01-01T00:00Z'],
  [' @annually ', '2027-01-01T00:00Z'],
])('issue 4 §2: names and shorthands: %s is %s', async (expression, expected) => {
  expect(await next(expression, '2026-01-01T12:30:00Z')).toEqual([expected])
})

test('a weekday and a day of the month that are both restricted fit either way, as in cron', async () => {
  expect(await next('0 0 13 * FRI', '2026-02-07T00:00:00Z', 'UTC', 4)).toEqual(
    ['13', '20', '27'].map((day) => `2026-02-${day}T00:00Z`).concat('2026-03-06T00:00Z'),
  )
  expect(await next('0 0 */10 * FRI', '2026-02-07T00:00:00Z', 'UTC', 3)).toEqual(
    ['11', '13', '20'].map((day) => `2026-02-${day}T00:00Z`),
  )
})

test('a day of the month alone and a weekday alone are not widened by the other', async () => {
  expect(await next('0 0 13 * *', '2026-02-13T00:00:00Z')).toEqual(['2026-03-13T00:00Z'])
  expect(await next('0 0 * * FRI', '2026-02-13T00:00:00Z')).toEqual(['2026-02-20T00:00Z'])
  expect(await next('0 0 30 2 MON', '2026-02-01T00:00:00Z')).toEqual(['2026-02-02T00:00Z'])
})

test('months without the day are passed over', async () => {
  expect(await next('0 0 31 * *', '2026-01-31T00:00:00Z', 'UTC', 3)).toEqual(
    ['03', '05', '07'].map((month) => `2026-${month}-31T00:00Z`),
  )
})

test.each([
  ['2026-01-01T00:00:00Z', '2028-02-29T00:00Z'],
  ['2028-02-28T23:59:59Z', '2028-02-29T00:00Z'],
  ['2028-02-29T00:00:00Z', '2032-02-29T00:00Z'],
  ['2096-02-29T00:00:00Z', '2104-02-29T00:00Z'],
  ['2396-02-29T00:00:00Z', '2400-02-29T00:00Z'],
])('29 February after %s is %s, also across years that are no leap years', async (after, expected) => {
  expect(await next('0 0 29 2 *', after)).toEqual([expected])
})

test('a zone decides what day and hour it is', async () => {
  expect(await next('30 6 * * *', '2026-01-15T00:00:00Z', 'Europe/Vienna')).toEqual(['2026-01-15T05:30Z'])
  expect(await next('30 6 * * *', '2026-07-15T00:00:00Z', 'Europe/Vienna')).toEqual(['2026-07-15T04:30Z'])
  expect(await next('0 0 1 1 *', '2026-12-31T09:00:00Z', 'Pacific/Kiritimati')).toEqual(['2026-12-31T10:00Z'])
  expect(await next('15 9 * * MON', '2026-01-04T18:00:00Z', 'Asia/Kolkata')).toEqual(['2026-01-05T03:45Z'])
})

test('the default zone is UTC, and the zone of the session does not matter', async () => {
  const sql =
    "select freshet.cron_next('0 12 * * *', '2026-03-29 00:30Z') as utc, freshet.cron_next('30 2 * * *', '2026-10-25 00:45Z', 'Europe/Vienna') as vienna"
  for (const zone of ['UTC', 'America/New_York', 'Europe/Vienna']) {
    const client = await pool.connect()
    await client.query(`set time zone '${zone}'`)
    const { rows } = await client.query(sql)
    client.release(true)
    expect(rows).toEqual([{ utc: new Date('2026-03-29T12:00Z'), vienna: new Date('2026-10-26T01:30Z') }])
  }
})

test('an unknown zone is refused', async () => {
  await expect(next('* * * * *', '2026-01-01T00:00:00Z', 'Mars/Base')).rejects.toMatchObject({ code: '22023' })
})

test('nothing given is nothing found', async () => {
  const sql = "select freshet.cron_next(null, now()) as a, freshet.cron_next('* * * * *', null) as b"
  expect((await pool.query(sql)).rows).toEqual([{ a: null, b: null }])
})
