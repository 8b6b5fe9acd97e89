import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const parse = (expression: string) =>
  pool.query<{ cron: string[] }>('select freshet.parse_cron($1) as cron', [expression])

test('five masks and two rules', async () => {
  const mask = (length: number, ...places: number[]) =>
    Array.from({ length }, (_, index) => (places.includes(index) ? '1' : '0')).join('')
  expect((await parse('0,59 6-8/2 1 dec 7')).rows[0]?.cron).toEqual([
    mask(60, 0, 59),
    mask(24, 6, 8),
    mask(31, 0),
    mask(12, 11),
    mask(7, 0),
    'either',
    'once',
  ])
})

test.each([
  ['0 0 * * *', ['days', 'once']],
  ['0 0 1 * *', ['days', 'once']],
  ['0 0 * * 1', ['weekdays', 'once']],
  ['0 0 */2 * 1', ['either', 'once']],
  ['*/5 1-5 * * *', ['days', 'again']],
  ['0-59/5 1-5 * * *', ['days', 'once']],
  ['0 * * * *', ['days', 'always']],
  ['0 0-23 * * *', ['days', 'always']],
  ['0 1-23 * * *', ['days', 'once']],
])('the rules of %s are %j', async (expression, rules) => {
  expect((await parse(expression)).rows[0]?.cron.slice(5)).toEqual(rules)
})

test.each([
  ['', 1, 'minute', 'an expression has five fields.'],
  ['* * * *', 8, 'weekday', 'an expression has five fields.'],
  ['* * * * * *', 11, 'sixth field', 'an expression has five fields.'],
  ['60 * * * *', 1, 'minute', '60 is outside 0 to 59.'],
  ['-1 * * * *', 1, 'minute', 'a value is missing.'],
  ['0 24 * * *', 3, 'hour', '24 is outside 0 to 23.'],
  ['0  0\t0 * *', 6, 'day of the month', '0 is outside 1 to 31.'],
  ['0 0 32 * *', 5, 'day of the month', '32 is outside 1 to 31.'],
  ['0 0 1 13 *', 7, 'month', '13 is outside 1 to 12.'],
  ['0 0 1 0 *', 7, 'month', '0 is outside 1 to 12.'],
  ['0 0 * * 8', 9, 'weekday', '8 is outside 0 to 7.'],
  ['0 0 * MON *', 7, 'month', '"MON" is not a value of this field.'],
  ['JAN * * * *', 1, 'minute', '"JAN" is not a value of this field.'],
  ['0 0 * * MO', 9, 'weekday', '"MO" is not a value of this field.'],
  ['0 0 * * UN', 9, 'weekday', '"UN" is not a value of this field.'],
  ['0 0 * * E', 9, 'weekday', '"E" is not a value of this field.'],
  ['0 0 L * *', 5, 'day of the month', '"L" is not a value of this field.'],
  ['0 0 ? * *', 5, 'day of the month', '"?" is not a value of this field.'],
  ['0 0 * * 5#2', 9, 'weekday', '"5#2" is not a value of this field.'],
  ['1,2,61 * * * *', 5, 'minute', '61 is outside 0 to 59.'],
  ['1,,2 * * * *', 3, 'minute', 'a value is missing.'],
  ['1, * * * *', 3, 'minute', 'a value is missing.'],
  ['1-60 * * * *', 3, 'minute', '60 is outside 0 to 59.'],
  ['1-x * * * *', 3, 'minute', '"x" does not end a range.'],
  ['1-2-3 * * * *', 3, 'minute', '"2-3" does not end a range.'],
  ['0 8,22-6 * * *', 5, 'hour', 'the range 22-6 runs backwards.'],
  ['0 0 * * FRI-SUN', 9, 'weekday', 'the range FRI-SUN runs backwards.'],
  ['*/0 * * * *', 3, 'minute', '"0" is not a step of this field.'],
  ['*/61 * * * *', 3, 'minute', '"61" is not a step of this field.'],
  ['*/ * * * *', 3, 'minute', '"" is not a step of this field.'],
  ['0 1-5/2/3 * * *', 7, 'hour', '"2/3" is not a step of this field.'],
  ['*5 * * * *', 1, 'minute', '"*5" is not a value of this field.'],
  ['99999999999 * * * *', 1, 'minute', '"99999999999" is not a value of this field.'],
  ['0 0 30 2 *', 5, 'day of the month', 'no month of this expression has such a day.'],
  ['0 0 31 4,6,9,11,2 *', 5, 'day of the month', 'no month of this expression has such a day.'],
  ['@reboot', 1, 'shorthand', '"@reboot" is not known.'],
  [' @daily 5', 2, 'shorthand', '"@daily" is not known.'],
])('issue 4 §2: "%s" is refused at character %i, %s: %s', async (expression, position, field, problem) => {
  await expect(parse(expression)).rejects.toMatchObject({
    code: 'FR031',
    message: `The cron expression "${expression.slice(0, 200)}" is refused at character ${position} (${field}): ${problem}`,
    detail: `position ${position}, field ${field}`,
    hint: expect.stringMatching(/^[A-Z].+\.$/) as string,
  })
})

test.each(['*/60 * * * *', '0 0 29 2 *', '0 0 30 2,4 *', '0 0 31 2,3 *', '0 0 30 2 MON', '59 23 31 12 7', '0 0 1 1 0'])(
  'the last that is allowed: %s',
  async (expression) => {
    expect((await parse(expression)).rows[0]?.cron).toHaveLength(7)
  },
)

test('an expression of 1000 characters is read and one of 1001 refused', async () => {
  expect((await parse('@daily'.padStart(1000))).rows).toHaveLength(1)
  await expect(parse('@daily'.padStart(1001))).rejects.toMatchObject({
    code: 'FR031',
    detail: 'position 1001, field whole',
  })
})
