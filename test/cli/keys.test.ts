import { userInfo } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { parseExpiry } from '../../src/cli/expiry.ts'
import { shortTime } from '../../src/cli/print.ts'
import { cloneDatabase } from '../support/database.ts'
import { run, runJson } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const env = { DATABASE_URL: database.url }
const now = new Date('2026-05-01T12:00:00Z')
const actor = `cli (${userInfo().username})`

const create = (...more: string[]) => runJson(['keys', 'create', '--name', 'shop', ...more], { env, now: () => now })
const letsIn = async (key: string) => (await authenticate(database.pool, key, 'request', now))?.actor.scopes

test('a key is made, lets in, is listed, revoked, and lets in no more; the audit log tells all of it', async () => {
  const made = await create('--scope', 'operate', '--scope', 'READ', '--expires', '30d')
  expect(made.code).toBe(0)
  const { key, apiKey } = made.answer
  expect(key).toMatch(/^frs_[\w-]{43}$/)
  expect(apiKey).toEqual({
    id: expect.stringMatching(/^\d+$/),
    name: 'shop',
    prefix: key.slice(0, 12),
    scopes: ['OPERATE', 'READ'],
    createdAt: expect.any(String),
    createdBy: actor,
    expiresAt: '2026-05-31T12:00:00.000Z',
    lastUsedAt: null,
    revokedAt: null,
    status: 'active',
  })
  expect(await letsIn(key)).toEqual(new Set(['OPERATE', 'READ']))

  const list = await run(['keys', 'list'], { env, now: () => now })
  expect(list.code).toBe(0)
  expect(list.out).toMatch(
    new RegExp(`^${apiKey.id} +${apiKey.prefix} +active +OPERATE,READ .* 2026-05-31 12:00 UTC +shop$`, 'm'),
  )
  expect(list.out).not.toContain(key)

  const revoked = await run(['keys', 'revoke', apiKey.prefix], { env, now: () => now })
  expect(revoked).toEqual({ code: 0, out: `${apiKey.prefix}… (shop) is revoked.\n`, err: '' })
  expect(await letsIn(key)).toBeUndefined()

  const { rows } = await database.pool.query(
    'select action, actor, actor_key_id, request_id from freshet.audit_log where object_id = $1 order by id',
    [apiKey.id],
  )
  expect(rows).toEqual(
    ['CREATE_API_KEY', 'REVOKE_API_KEY'].map((action) => ({
      action,
      actor,
      actor_key_id: null,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })),
  )

  const again = await run(['keys', 'revoke', apiKey.id], { env })
  expect(again).toEqual({ code: 0, out: `${apiKey.prefix}… (shop) was revoked at 2026-05-01 12:00 UTC.\n`, err: '' })
})

test('people see the key once, with what they need to know', async () => {
  const { code, out, err } = await run(['keys', 'create', '--name', 'people', '--scope', 'ADMIN'], { env })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(
    /^Key +frs_[\w-]{43}\n +shown only this once: it is stored as a hash\nId +\d+\nScopes +ADMIN\nExpires +never\n$/,
  )
})

test('a key that ran out is listed as expired', async () => {
  const { answer } = await create('--scope', 'READ', '--expires', '1h')
  const list = await runJson(['keys', 'list'], { env, now: () => new Date('2026-05-01T13:00:00Z') })
  const statuses = list.answer.keys.map(({ id, status }: { id: string; status: string }) => [id, status])
  expect(statuses).toContainEqual([answer.apiKey.id, 'expired'])
})

test('a name cannot rewrite the terminal', async () => {
  await database.pool.query(
    `update freshet.api_keys set name = E'a\\x1b[2Jb' where id = (select max(id) from freshet.api_keys)`,
  )
  const { out } = await run(['keys', 'list'], { env })
  expect(out).toContain('a?[2Jb')
  expect(out).not.toContain('\u001b')
})

test('a whole key can be revoked, and is not repeated when it is unknown', async () => {
  const { answer } = await create('--scope', 'READ')
  const revoked = await runJson(['keys', 'revoke', answer.key], { env })
  expect(revoked.answer.apiKey).toMatchObject({ id: answer.apiKey.id, status: 'revoked' })
  const unknown = `frs_${'x'.repeat(43)}`
  const { code, err } = await run(['keys', 'revoke', unknown], { env })
  expect({ code, err }).toEqual({
    code: 1,
    err: 'error [NOT_FOUND]: There is no key "frs_********".\nhint: "freshet keys list" shows all keys.\n',
  })
})

test.each(['999999', 'frs_nothing', ''])('revoking %j, which is no key, exits with 1', async (which) => {
  const { code, error } = await runJson(['keys', 'revoke', which], { env })
  expect({ code, error: error.code }).toEqual({ code: 1, error: 'NOT_FOUND' })
})

test('a key is revoked by how it begins, letter by letter: %, _ and \\ stand for themselves', async () => {
  const { answer } = await create('--scope', 'READ')
  const { prefix } = answer.apiKey
  for (const which of [
    `${prefix.slice(0, 9)}___`,
    `${prefix.slice(0, 9)}%`,
    `${prefix.slice(0, 9)}\\${prefix.slice(9)}`,
  ]) {
    const { code, error } = await runJson(['keys', 'revoke', which], { env })
    expect({ which, code, error: error?.code }).toEqual({ which, code: 1, error: 'NOT_FOUND' })
  }
  expect(await letsIn(answer.key)).toEqual(new Set(['READ']))
})

test('revoking by a beginning that several keys share revokes none', async () => {
  const before = await database.pool.query('select count(*) from freshet.api_keys where revoked_at is null')
  const { code, error } = await runJson(['keys', 'revoke', 'frs_'], { env })
  expect({ code, error: error.code }).toEqual({ code: 1, error: 'AMBIGUOUS_KEY' })
  const after = await database.pool.query('select count(*) from freshet.api_keys where revoked_at is null')
  expect(after.rows).toEqual(before.rows)
})

test('the last key with ADMIN can be revoked here without more ado: whoever is here can make another', async () => {
  await database.pool.query("update freshet.api_keys set revoked_at = now() where 'ADMIN' = any (scopes)")
  const { answer } = await create('--scope', 'ADMIN')
  const { code, out } = await run(['keys', 'revoke', answer.apiKey.id], { env, now: () => now })
  expect({ code, out }).toEqual({ code: 0, out: `${answer.apiKey.prefix}… (shop) is revoked.\n` })
})

test('all that is wrong with a new key is told in the words of the command, and none is made', async () => {
  const before = await database.pool.query('select count(*) from freshet.api_keys')
  const argv = ['keys', 'create', '--name', ' ', '--scope', 'READ', '--expires', '2020-01-01']
  const { code, error } = await runJson(argv, { env })
  expect(code).toBe(2)
  expect(error).toEqual({
    code: 'WRONG_USAGE',
    message: '--name must not be blank.\n--expires lies in the past.',
    hint: null,
    problems: [
      { option: '--name', message: 'must not be blank.' },
      { option: '--expires', message: 'lies in the past.' },
    ],
  })
  expect((await database.pool.query('select count(*) from freshet.api_keys')).rows).toEqual(before.rows)
})

test.each([
  [['--scope', 'ROOT'], "option '--scope <scope>' argument 'ROOT' is invalid. Choose among READ, OPERATE, ADMIN."],
  [[], "required option '--scope <scope>' not specified"],
  [['--scope', 'READ', '--expires', 'soon'], '--expires "soon" is neither a span'],
])('a key with %j is wrong usage', async (more, message) => {
  const { code, error } = await create(...more)
  expect(code).toBe(2)
  expect(error.message).toContain(message)
})

test('a key that would end after the year 9999 is wrong usage', async () => {
  const { code, error } = await create('--scope', 'READ', '--expires', '9999-12-31T23:59:59-23:59')
  expect({ code, message: error.message }).toEqual({
    code: 2,
    message: '--expires must lie in the years 0001 to 9999, in UTC.',
  })
})

test('a moment that cannot be read is shown as such', () => {
  expect(shortTime(new Date('2026-05-01T12:00:59Z'))).toBe('2026-05-01 12:00 UTC')
  expect(shortTime(new Date(Number.NaN))).toBe('unreadable')
})

test.each([
  ['12h', '2026-05-02T00:00:00.000Z'],
  ['30d', '2026-05-31T12:00:00.000Z'],
  ['2w', '2026-05-15T12:00:00.000Z'],
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ['2027-01-31T12:00Z', '2027-01-31T12:00:00.000Z'],
  ['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
])('an expiry of %s is %s', (text, expected) => {
  expect(parseExpiry(text, now).toISOString()).toBe(expected)
})

test.each(['', '30', 'd', '-3d', '1.5d', '999999d', '2027-02-30', '2027-01-31T12:00', 'tomorrow'])(
  'an expiry of %j is refused',
  (text) => {
    expect(() => parseExpiry(text, now)).toThrow('is neither a span')
  },
)
