import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const aKey = async (name: string) =>
  (
    await pool.query<{ id: string }>(
      "insert into freshet.api_keys (name, prefix, hash, scopes, created_by) values ($1::text, 'frs_abcd', sha256(convert_to($1::text, 'UTF8')), '{READ}', 'test') returning id",
      [name],
    )
  ).rows[0]?.id

test('writes one line of the audit log, with an empty object where nothing changed', async () => {
  const key = await aKey('writer')
  const { rows } = await pool.query<{ id: string }>(
    `select freshet.write_audit($1, 'writer', 'createRetailer', 'Retailer', '7', '{"name":"Shop"}', 'request-1') as id`,
    [key],
  )
  await pool.query("select freshet.write_audit(null, 'start', 'createApiKey', 'ApiKey', null, null, 'request-2')")
  const columns = 'actor_key_id, actor, action, object_type, object_id, changes, request_id'
  expect((await pool.query(`select ${columns} from freshet.audit_log order by id`)).rows).toEqual([
    {
      actor_key_id: key,
      actor: 'writer',
      action: 'createRetailer',
      object_type: 'Retailer',
      object_id: '7',
      changes: { name: 'Shop' },
      request_id: 'request-1',
    },
    {
      actor_key_id: null,
      actor: 'start',
      action: 'createApiKey',
      object_type: 'ApiKey',
      object_id: null,
      changes: {},
      request_id: 'request-2',
    },
  ])
  expect((await pool.query('select min(id) as id from freshet.audit_log')).rows).toEqual(rows)
})

test('a line of the audit log lives and dies with its transaction', async () => {
  const client = await pool.connect()
  await client.query('begin')
  await client.query("select freshet.write_audit(null, 'undone', 'x', 'X', null, null, 'r')")
  await client.query('rollback')
  client.release()
  expect((await pool.query("select * from freshet.audit_log where actor = 'undone'")).rows).toEqual([])
})

test('the audit log refuses an update, even by its owner, and keeps the line', async () => {
  await pool.query("select freshet.write_audit(null, 'honest', 'x', 'X', null, null, 'r')")
  await expect(
    pool.query("update freshet.audit_log set actor = 'nobody' where actor = 'honest'"),
  ).rejects.toMatchObject({
    code: 'FR001',
    message: 'The audit log is append-only.',
  })
  expect((await pool.query("select count(*)::int as n from freshet.audit_log where actor = 'honest'")).rows).toEqual([
    { n: 1 },
  ])
})

test('a key that the audit log names cannot be deleted', async () => {
  const key = await aKey('named')
  await pool.query("select freshet.write_audit($1, 'named', 'x', 'X', null, null, 'r')", [key])
  await expect(pool.query('delete from freshet.api_keys where id = $1', [key])).rejects.toMatchObject({
    constraint: 'audit_log_actor_key_id_fkey',
  })
})

test('tells of a key whose rights changed, when that is committed, and of no other change', async () => {
  const key = await aKey('revoked')
  const listener = await pool.connect()
  const heard: (string | undefined)[] = []
  listener.on('notification', ({ payload }) => heard.push(payload))
  try {
    await listener.query('listen freshet_key_revoked')
    await pool.query('update freshet.api_keys set last_used_at = now() where id = $1', [key])
    await pool.query('update freshet.api_keys set revoked_at = now() where id = $1', [key])
    await pool.query('update freshet.api_keys set expires_at = now() where id = $1', [key])
    await expect.poll(() => heard, { timeout: 5_000, interval: 5 }).toEqual([key, key])
  } finally {
    listener.release(true)
  }
})

test.each([
  ['a blank name', { name: "' '" }, 'name_is_not_blank'],
  ['no scope', { scopes: "'{}'" }, 'has_a_scope'],
  ['a hash that is no SHA-256', { hash: "'\\x00'" }, 'hash_is_sha256'],
  ['an end in the year 10000', { expires_at: "'10000-01-01T00:00:00Z'" }, 'expires_at_in_range'],
  ['an end before the year 1', { expires_at: "'0001-12-31T23:59:59Z BC'" }, 'expires_at_in_range'],
  ['an end that never comes', { expires_at: "'infinity'" }, 'expires_at_in_range'],
])('refuses a key with %s', async (_what, wrong, constraint) => {
  const row = {
    name: "'wrong'",
    prefix: "'frs_x'",
    hash: "sha256('wrong')",
    scopes: "'{READ}'",
    created_by: "'test'",
    ...wrong,
  }
  const sql = `insert into freshet.api_keys (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`
  await expect(pool.query(sql)).rejects.toMatchObject({ code: '23514', constraint })
})
