import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

/** The next moments of an expression, each found from the one before. */
async function next(expression: string, after: string, zone = 'UTC', count = 1): Promise<string[]> {
  const found: string[] = []
  for (let at = after; found.length < count; found.push(at)) {
    const sql = 'select freshet.cron_next($1, $2, $3) as at'
    at = (await pool.query<{ at: Date }>(sql, [expression, at, zone])).rows[0]?.at.toISOString() ?? 'null'
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
])('issue 4 §2: %s after %s is strictly later: %s', async (expression, after, expected) => {
  expect(await next(expression, after)).toEqual([expected])
})
