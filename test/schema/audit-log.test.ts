import { afterAll, expect, test } from 'vitest'
import { encodeId, readId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const key = app.firstKey

await app.pool.query('delete from freshet.audit_log')
const { rows } = await app.pool.query<{ id: string }>('select id from freshet.api_keys')
const keyId = rows[0]!.id
await app.pool.query(
  `insert into freshet.audit_log (id, at, actor_key_id, actor, action, object_type, object_id, changes, request_id) values
   (101, '2026-01-01T00:00:00Z', $1, 'first', 'CREATE_SOURCE', 'Source', '7', '{"name": {"to": "x"}}', 'r1'),
   (102, '2026-01-02T00:00:00Z', null, 'start', 'CREATE_SOURCE', 'Source', '8', '{}', 'r2'),
   (103, '2026-01-03T00:00:00Z', $1, 'first', 'UPDATE_SOURCE', 'Source', '7', '{}', 'r3'),
   (104, '2026-01-04T00:00:00Z', $1, 'first', 'CREATE_RETAILER', 'Retailer', '7', '{}', 'r4'),
   (105, '2026-01-05T00:00:00Z', null, 'start', 'IMPORT_SOURCES', 'Source', null, '{}', 'r4')`,
  [keyId],
)

type Entry = { id: string; actorKeyId: string | null; objectGlobalId: string | null }
async function find(filter: object | null, fields = 'id'): Promise<Entry[]> {
  const query = `query ($filter: AuditFilter) { auditLog(filter: $filter) { nodes { ${fields} } } }`
  const { data, errors } = await app.ask<{ auditLog: { nodes: Entry[] } }>(query, { filter }, { key })
  expect(errors).toBeUndefined()
  return data!.auditLog.nodes
}
const numbers = async (filter: object | null) => (await find(filter)).map(({ id }) => Number(readId(id)!.id) - 100)

test.each([
  ['no filter', null, [5, 4, 3, 2, 1]],
  ['an empty filter', {}, [5, 4, 3, 2, 1]],
  ['nulls', { action: null, objectType: null, since: null, until: null, actorKeyId: null }, [5, 4, 3, 2, 1]],
  ['an action', { action: 'CREATE_SOURCE' }, [2, 1]],
  ['a type', { objectType: 'Retailer' }, [4]],
  ['a number', { objectId: '7' }, [4, 3, 1]],
  ['a type and a number', { objectType: 'Source', objectId: '7' }, [3, 1]],
  ['a global id', { objectGlobalId: encodeId('Source', 7) }, [3, 1]],
  ['a global id and another type', { objectGlobalId: encodeId('Source', 7), objectType: 'Retailer' }, []],
  ['a key', { actorKeyId: encodeId('ApiKey', keyId) }, [4, 3, 1]],
  ['another key', { actorKeyId: encodeId('ApiKey', 999) }, []],
  ['a request', { requestId: 'r4' }, [5, 4]],
  ['a moment it begins with', { since: '2026-01-03T00:00:00Z' }, [5, 4, 3]],
  ['a moment it ends before', { until: '2026-01-03T00:00:00Z' }, [2, 1]],
  ['a span, in another zone', { since: '2026-01-02T01:00:00+01:00', until: '2026-01-04T00:00:00Z' }, [3, 2]],
  [
    'all at once',
    {
      action: 'UPDATE_SOURCE',
      objectType: 'Source',
      objectId: '7',
      requestId: 'r3',
      since: '2026-01-01T00:00:00Z',
      until: '2026-02-01T00:00:00Z',
    },
    [3],
  ],
  ['an action that never happened', { action: '' }, []],
])('finds the entries with %s, newest first', async (_what, filter, found) => {
  expect(await numbers(filter)).toEqual(found)
})

test('a span from the first to the last moment finds all; one outside the years 0001 to 9999 is refused', async () => {
  expect(await numbers({ since: '0001-01-01T00:00:00Z', until: '9999-12-31T23:59:59.999Z' })).toEqual([5, 4, 3, 2, 1])
  const query = 'query ($filter: AuditFilter) { auditLog(filter: $filter) { totalCount } }'
  for (const filter of [{ since: '0000-01-01T00:00:00Z' }, { until: '9999-12-31T23:59:59-00:01' }]) {
    const { errors } = await app.ask(query, { filter }, { key })
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
  }
})

test('an entry says who did it and to what, by their ids', async () => {
  const fields = 'at actor actorKeyId action objectType objectId objectGlobalId changes requestId'
  expect(await find({ requestId: 'r1' }, fields)).toEqual([
    {
      at: '2026-01-01T00:00:00.000Z',
      actor: 'first',
      actorKeyId: encodeId('ApiKey', keyId),
      action: 'CREATE_SOURCE',
      objectType: 'Source',
      objectId: '7',
      objectGlobalId: encodeId('Source', 7),
      changes: { name: { to: 'x' } },
      requestId: 'r1',
    },
  ])
  expect(await find({ action: 'IMPORT_SOURCES' }, 'actorKeyId objectId objectGlobalId')).toEqual([
    { actorKeyId: null, objectId: null, objectGlobalId: null },
  ])
})

test('no record holds a key, whatever was done with it', async () => {
  const create = 'mutation { createApiKey(input: { name: "made", scopes: [ADMIN] }) { key apiKey { id } } }'
  const { data } = await app.ask<{ createApiKey: { key: string; apiKey: { id: string } } }>(create, {}, { key })
  const { key: made, apiKey } = data!.createApiKey
  await app.ask('mutation { createRetailer(input: { name: "By the new key" }) { id } }', {}, { key: made })
  await app.ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: apiKey.id }, { key })
  const all = await app.pool.query<{ line: string }>('select to_jsonb(a)::text as line from freshet.audit_log a')
  expect(all.rows.length).toBe(8)
  for (const secret of [key, made, made.slice(13), key.slice(13)])
    expect(all.rows.filter(({ line }) => line.includes(secret))).toEqual([])
})
