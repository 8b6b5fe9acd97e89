import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'

// In Vienna clocks go from 02:00 to 03:00 on 2026-03-29 and from 03:00 back to 02:00 on 2026-10-25, both at 01:00 UTC.
// The decisions are those of docs/decisions/0010-a-named-hour-happens-once-a-day.md.
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

/** All moments after one and up to another, to the minute, without the year. */
async function between(expression: string, zone: string, after: string, until: string): Promise<string[]> {
  const found: string[] = []
  for (let at = new Date(after); ; found.push(at.toISOString().slice(5, 16))) {
    const { rows } = await pool.query<{ at: Date }>('select freshet.cron_next($1, $2, $3) as at', [
      expression,
      at,
      zone,
    ])
    at = rows[0]?.at ?? new Date(Number.NaN)
    if (!(at <= new Date(until))) return found
  }
}
const inGap = (expression: string) => between(expression, 'Europe/Vienna', '2026-03-29T00:30Z', '2026-03-29T02:30Z')
const inOverlap = (expression: string) => between(expression, 'Europe/Vienna', '2026-10-24T23:45Z', '2026-10-25T02:15Z')
const march = (...times: string[]) => times.map((time) => `03-29T${time}`)
const october = (...times: string[]) => times.map((time) => `10-25T${time}`)

test.each([
  ['a skipped time happens an hour later', '30 2 * * *', march('01:30')],
  ['every one of them', '*/20 2 * * *', march('01:00', '01:20', '01:40')],
  ['one that meets the next hour is not doubled', '30 2,3 * * *', march('01:30')],
  ['neither is a range over the gap', '0 1-4 * * *', march('01:00', '02:00')],
  ['every hour goes on every hour', '15 * * * *', march('01:15', '02:15')],
  ['every half hour goes on every half hour', '*/30 * * * *', march('01:00', '01:30', '02:00', '02:30')],
])('where clocks go forward: %s: %s', async (_rule, expression, expected) => {
  expect(await inGap(expression)).toEqual(expected)
})

test.each([
  ['a repeated time happens once, in the first pass', '30 2 * * *', october('00:30')],
  ['every one of them', '0,30 2 * * *', october('00:00', '00:30')],
  ['named hours around it happen once each', '0 */2 * * *', october('00:00')],
  ['named hours in a row too', '0 1-3 * * *', october('00:00', '02:00')],
  ['every hour goes on every hour', '15 * * * *', october('00:15', '01:15', '02:15')],
  ['minutes that begin with * go on', '*/30 2-3 * * *', october('00:00', '00:30', '01:00', '01:30', '02:00')],
])('where clocks go back: %s: %s', async (_rule, expression, expected) => {
  expect(await inOverlap(expression)).toEqual(expected)
})

test.each(['2026-10-25T00:30:00Z', '2026-10-25T00:45:00Z', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'])(
  'a repeated time that has been is not met again, wherever the search begins: %s',
  async (after) => {
    expect(await between('30 2 * * *', 'Europe/Vienna', after, '2026-10-26T02:00Z')).toEqual(['10-26T01:30'])
  },
)

test.each(['2026-03-29T01:00:00Z', '2026-03-29T01:29:59Z'])(
  'a skipped time is still to come until it happens, wherever the search begins: %s',
  async (after) => {
    expect(await between('30 2 * * *', 'Europe/Vienna', after, '2026-03-30T00:00Z')).toEqual(['03-29T01:30'])
  },
)

test('every five minutes is every five minutes through both changes', async () => {
  for (const day of ['2026-03-29', '2026-10-25']) {
    const found = await between('*/5 * * * *', 'Europe/Vienna', `${day}T00:00Z`, `${day}T03:00Z`)
    const expected = Array.from({ length: 36 }, (_, index) => new Date(Date.parse(`${day}T00:05Z`) + index * 300_000))
    expect(found).toEqual(expected.map((at) => at.toISOString().slice(5, 16)))
  }
})

test.each([
  [
    'a midnight that is skipped',
    '0 0 * * *',
    'America/Havana',
    '2026-03-08T00:00Z',
    '2026-03-09T12:00Z',
    ['03-08T05:00', '03-09T04:00'],
  ],
  [
    'a midnight that is repeated',
    '0 0 * * *',
    'America/Havana',
    '2026-11-01T00:00Z',
    '2026-11-02T12:00Z',
    ['11-01T04:00', '11-02T05:00'],
  ],
  ['a gap over midnight', '30 23 * * SAT', 'America/Nuuk', '2026-03-28T00:00Z', '2026-03-30T00:00Z', ['03-29T01:30']],
  [
    'a gap of half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T12:00Z',
    '2026-10-04T12:00Z',
    ['10-03T15:45'],
  ],
  [
    'a skipped time behind one that is not',
    '15,35 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T12:00Z',
    '2026-10-04T12:00Z',
    ['10-03T15:35', '10-03T15:45'],
  ],
  [
    'half an hour repeated',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T12:00Z',
    '2026-04-05T12:00Z',
    ['04-04T14:45'],
  ],
  [
    'two hours repeated',
    '30 1,2 * * *',
    'Antarctica/Troll',
    '2026-10-24T22:00Z',
    '2026-10-25T12:00Z',
    ['10-24T23:30', '10-25T00:30'],
  ],
  [
    'two hours skipped',
    '30 1,2 * * *',
    'Antarctica/Troll',
    '2026-03-28T22:00Z',
    '2026-03-29T12:00Z',
    ['03-29T01:30', '03-29T02:30'],
  ],
])('%s: %s in %s', async (_what, expression, zone, after, until, expected) => {
  expect(await between(expression, zone, after, until)).toEqual(expected)
})
