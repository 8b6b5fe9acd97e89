import crypto, { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { withImplied } from '../../../src/domain/access/actor.ts'
import { createApiKey, createFirstKey, ensureAdminKey, revokeApiKey } from '../../../src/domain/access/api-key.ts'
import { authenticate } from '../../../src/domain/access/authenticate.ts'
import { digestKey, makeKey } from '../../../src/domain/access/key.ts'
import { keyForm } from '../../../src/key-form.ts'
import { statementsOf } from '../../support/statements.ts'
import { actor, openStand, problemsOf } from '../stand.ts'

const stand = await openStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { db, pool, appPool } = stand
const now = new Date('2026-11-18T09:30:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)

beforeEach(() => pool.query('truncate freshet.audit_log, freshet.api_keys cascade'))

const ten = <Result>(work: () => Promise<Result>) => Promise.all(Array.from({ length: 10 }, () => work()))
const keyRows = async (columns = 'name, scopes::text, revoked_at') =>
  (await pool.query(`select ${columns} from freshet.api_keys order by id`)).rows as Record<string, unknown>[]
const enter = (key: string, at = now) => authenticate(appPool, key, 'a-request', at)

test('a key is frs_ and 256 random bits', () => {
  const keys = Array.from({ length: 100 }, () => makeKey())
  for (const key of keys) {
    expect(key).toMatch(keyForm)
    expect(Buffer.from(key.slice(4), 'base64url')).toHaveLength(32)
  }
  expect(new Set(keys)).toHaveProperty('size', 100)
})

test('a key is stored as its SHA-256, and stands in no column of the database', async () => {
  const { key, apiKey } = await createApiKey(db, actor, { name: 'reader', scopes: ['READ'] }, now)
  const own = makeKey()
  await ensureAdminKey(db, actor, own)
  expect(Buffer.from(apiKey.hash).toString('hex')).toBe(createHash('sha256').update(key).digest('hex'))
  expect(apiKey.prefix).toBe(key.slice(0, 12))
  const { rows: columns } = await pool.query<{ place: string; sql: string }>(
    `select format('%I.%I.%I', table_schema, table_name, column_name) as place,
       format('select %L as place, (%I::text) as text from %I.%I', table_name || '.' || column_name, column_name, table_schema, table_name) as sql
     from information_schema.columns where table_schema in ('freshet', 'pgboss') and table_schema is not null`,
  )
  expect(columns.length).toBeGreaterThan(50)
  const { rows } = await pool.query<{ place: string; text: string | null }>(
    columns.map(({ sql }) => sql).join(' union all '),
  )
  const forms = [key, own].flatMap((secret) => {
    const bits = Buffer.from(secret.slice(4), 'base64url')
    return [secret, secret.slice(4), Buffer.from(secret).toString('hex'), bits.toString('hex'), bits.toString('base64')]
  })
  expect(rows.filter(({ text }) => forms.some((form) => text?.includes(form))).map(({ place }) => place)).toEqual([])
  expect(rows.some(({ text }) => text?.includes(key.slice(0, 12)))).toBe(true)
})

test('lets in whoever shows the key, with his scopes and those they imply', async () => {
  const { key, apiKey } = await createApiKey(db, actor, { name: 'operator', scopes: ['OPERATE'] }, now)
  expect(await enter(key)).toEqual({
    actor: {
      keyId: apiKey.id,
      name: `operator (${key.slice(0, 12)}…)`,
      scopes: new Set(['READ', 'OPERATE']),
      requestId: 'a-request',
    },
    expiresAt: null,
  })
})

test.each([
  [['READ'], ['READ']],
  [['OPERATE'], ['READ', 'OPERATE']],
  [['ADMIN'], ['READ', 'OPERATE', 'ADMIN']],
  [
    ['READ', 'ADMIN'],
    ['READ', 'OPERATE', 'ADMIN'],
  ],
] as const)('%j implies %j', (given, all) => {
  expect([...withImplied(given)]).toEqual(all)
})

test('knows no key that was altered, cut or made up', async () => {
  const { key } = await createApiKey(db, actor, { name: 'reader', scopes: ['READ'] }, now)
  const other = key.slice(0, -1) + (key.endsWith('A') ? 'E' : 'A')
  for (const wrong of [
    other,
    key.slice(0, -1),
    `${key}A`,
    key.toLowerCase(),
    makeKey(),
    '',
    'frs_',
    `${key.slice(0, 12)}%`,
  ])
    expect(await enter(wrong)).toBeUndefined()
})

test('two keys with the same beginning are told apart', async () => {
  const { key } = await createApiKey(db, actor, { name: 'mine', scopes: ['READ'] }, now)
  const twin = key.slice(0, 12) + makeKey().slice(12)
  const { prefix, hash } = digestKey(twin)!
  await db.apiKey.create({ data: { name: 'twin', prefix, hash, scopes: ['ADMIN'], createdBy: 'test' } })
  expect((await enter(key))?.actor.name).toContain('mine')
  expect((await enter(twin))?.actor.name).toContain('twin')
})

test('a key is compared in constant time with each that begins like it', async () => {
  const { key } = await createApiKey(db, actor, { name: 'reader', scopes: ['READ'] }, now)
  const wrong = key.slice(0, 12) + makeKey().slice(12)
  const compare = vi.spyOn(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  try {
    expect(await enter(wrong)).toBeUndefined()
    expect(compare.mock.calls).toContainEqual([digestKey(key)?.hash, digestKey(wrong)?.hash])
  } finally {
    compare.mockRestore()
    syncBuiltinESMExports()
  }
})

test('reports every problem of a new key at once', async () => {
  const input = { name: '', scopes: [], expiresAt: now }
  expect(await problemsOf(createApiKey(db, actor, input, now), 'BAD_USER_INPUT')).toEqual([
    'input.name must not be blank.',
    'input.scopes needs at least one scope.',
    'input.expiresAt lies in the past.',
  ])
  expect(await keyRows()).toEqual([])
})

test('a key ends at the moment it was given, not before', async () => {
  const { key } = await createApiKey(db, actor, { name: 'short', scopes: ['READ'], expiresAt: later(1) }, now)
  expect(await enter(key, now)).toMatchObject({ expiresAt: later(1) })
  expect(await enter(key, later(1))).toBeUndefined()
})

test('scopes given twice are kept once', async () => {
  await createApiKey(db, actor, { name: 'twice', scopes: ['READ', 'ADMIN', 'READ'] }, now)
  expect(await keyRows('scopes::text')).toEqual([{ scopes: '{READ,ADMIN}' }])
})

test('remembers when a key was last used, to the minute, and writes no oftener', async () => {
  const { key } = await createApiKey(db, actor, { name: 'busy', scopes: ['READ'] }, now)
  const lastUsed = async () => (await keyRows('last_used_at'))[0]!.last_used_at
  expect(await lastUsed()).toBeNull()
  await enter(key, now)
  expect(await lastUsed()).toEqual(now)
  expect(await statementsOf(() => enter(key, later(60_000)))).toHaveLength(1)
  expect(await lastUsed()).toEqual(now)
  await enter(key, later(60_001))
  expect(await lastUsed()).toEqual(later(60_001))
  await enter(key, now)
  expect(await lastUsed()).toEqual(later(60_001))
})

test('a revoked key is out at once; revoking it again keeps the first moment', async () => {
  const { key, apiKey } = await createApiKey(db, actor, { name: 'gone', scopes: ['READ'] }, now)
  expect(await revokeApiKey(db, actor, apiKey.id, now)).toMatchObject({ revokedAt: now })
  expect(await enter(key)).toBeUndefined()
  expect(await revokeApiKey(db, actor, apiKey.id, later(1000))).toMatchObject({ revokedAt: now })
  const { rows } = await pool.query("select changes from freshet.audit_log where action = 'REVOKE_API_KEY' order by id")
  expect(rows).toEqual([{ changes: { revokedAt: { from: null, to: now.toISOString() } } }, { changes: {} }])
})

test('of ten first starts at once one makes the first key, and it works', async () => {
  const made = (await ten(() => createFirstKey(db, actor))).filter((key) => key !== undefined)
  expect(made).toHaveLength(1)
  expect(await keyRows()).toEqual([{ name: 'first admin', scopes: '{ADMIN}', revoked_at: null }])
  expect((await enter(made[0]!))?.actor.scopes.has('ADMIN')).toBe(true)
  expect((await pool.query('select action from freshet.audit_log')).rows).toEqual([{ action: 'CREATE_API_KEY' }])
})

test('the last key with ADMIN goes only if confirmed, however many ask at once', async () => {
  const admin = (name: string, expiresAt?: Date) =>
    createApiKey(db, actor, { name, scopes: ['ADMIN'], expiresAt: expiresAt ?? null }, now)
  const [one, two] = [await admin('one'), await admin('two')]
  await admin('over soon', later(1))
  await createApiKey(db, actor, { name: 'reader', scopes: ['READ', 'OPERATE'] }, now)
  const ends = await Promise.allSettled([one, two].map(({ apiKey }) => revokeApiKey(db, actor, apiKey.id, later(1))))
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const last = ends[0]!.status === 'rejected' ? one : two
  const refused = revokeApiKey(db, actor, last.apiKey.id, later(1))
  await expect(refused).rejects.toMatchObject({
    code: 'CONFLICT',
    field: 'id',
    message: 'This is the last key with the scope ADMIN.',
  })
  const after = await revokeApiKey(db, actor, last.apiKey.id, later(2), { confirm: true })
  expect(after.revokedAt).toEqual(later(2))
})

test('makes no first key where there was one, though it is revoked', async () => {
  const { apiKey } = await createApiKey(db, actor, { name: 'only', scopes: ['READ'] }, now)
  await revokeApiKey(db, actor, apiKey.id, now)
  expect(await createFirstKey(db, actor)).toBeUndefined()
  expect(await keyRows('name')).toEqual([{ name: 'only' }])
})

test('ten starts at once with the same chosen key let it in once', async () => {
  const key = makeKey()
  await ten(() => ensureAdminKey(db, actor, key))
  expect(await keyRows('name, scopes::text')).toEqual([{ name: 'admin (from FRESHET_ADMIN_KEY)', scopes: '{ADMIN}' }])
  await ensureAdminKey(db, actor, key)
  expect((await enter(key))?.actor.scopes.has('ADMIN')).toBe(true)
})

test('a chosen key that was revoked is not let in again by the next start', async () => {
  const key = makeKey()
  await ensureAdminKey(db, actor, key)
  const { id } = await db.apiKey.findFirstOrThrow()
  await revokeApiKey(db, actor, id, now, { confirm: true })
  await ensureAdminKey(db, actor, key)
  expect(await enter(key)).toBeUndefined()
})

test('refuses a chosen key that has not the form of one, without repeating it', async () => {
  const error = await ensureAdminKey(db, actor, 'hunter2').catch((thrown: unknown) => thrown)
  expect(String(error)).toBe('Error: The admin key has not the form of a key.')
})

test('a start where keys exist does not wait for those who use theirs', async () => {
  const key = makeKey()
  await ensureAdminKey(db, actor, key)
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('update freshet.api_keys set last_used_at = now()')
    await ensureAdminKey(db, actor, key)
    expect(await createFirstKey(db, actor)).toBeUndefined()
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('the runtime role may add to the audit log and neither change nor delete it', async () => {
  const role = `freshet_test_${Math.random().toString(36).slice(2, 10)}`
  await pool.query(`create role ${role}`)
  try {
    await pool.query('select freshet.grant_runtime($1)', [role])
    const { rows } = await pool.query(
      "select right_, has_table_privilege($1, 'freshet.audit_log', right_) as has from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) right_",
      [role],
    )
    expect(rows).toEqual([
      { right_: 'SELECT', has: true },
      { right_: 'INSERT', has: true },
      { right_: 'UPDATE', has: false },
      { right_: 'DELETE', has: false },
      { right_: 'TRUNCATE', has: false },
    ])
  } finally {
    await pool.query(`drop owned by ${role}`)
    await pool.query(`drop role ${role}`)
  }
})
