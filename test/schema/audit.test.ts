import { isDeepStrictEqual } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { digestKey } from '../../src/domain/access/key.ts'
import { encodeId, readId } from '../../src/schema/global-id.ts'
import { schema } from '../../src/schema/index.ts'
import { startTestApp, type Answer } from '../support/app.ts'
import { makeFixture, mutations, tables, type Fixture, type Mutation } from '../support/operations/index.ts'
import { isRefusedFor, placesOf, putText, valueAt } from '../support/places.ts'
import { countAudit, readState } from './state.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = await app.keyWith('ADMIN')

type Entry = { action: string; object_type: string; object_id: string | null; changes: Record<string, unknown> }

async function send(query: string, variables: object | undefined, requestId = 'a-request') {
  const response = await app.post({ query, variables }, { key, headers: { 'x-request-id': requestId } })
  return (await response.json()) as Answer<Record<string, Record<string, string>>>
}
async function entriesOf(requestId: string) {
  const sql =
    'select action, object_type, object_id, changes, request_id, actor, actor_key_id from freshet.audit_log where request_id = $1 order by id'
  return (await pool.query<Entry>(sql, [requestId])).rows
}

/** The line that a mutation should leave, going by what it answered. */
const recordOf = (
  operation: Mutation<Fixture>,
  fixture: Fixture,
  data: Record<string, Record<string, string>> | null,
) => operation.recorded(fixture, Object.values(data ?? {})[0]!)

test.each(mutations)('%s records who did what to which object, and by which request', async (name, operation) => {
  const fixture = await makeFixture(pool)
  const before = await countAudit(pool)
  const { data, errors } = await send(operation.document, operation.variables(fixture), name)
  expect(errors).toBeUndefined()
  const { action, objectType, objectId, changes } = recordOf(operation, fixture, data)
  const { besides = [] } = operation
  const { prefix, hash } = digestKey(key)!
  const keys = await pool.query<{ id: string }>('select id from freshet.api_keys where hash = $1', [hash])
  const [main, ...others] = await entriesOf(name)
  expect(main).toEqual({
    action,
    object_type: objectType,
    object_id: objectId,
    changes,
    request_id: name,
    actor: `ADMIN (${prefix}…)`,
    actor_key_id: keys.rows[0]!.id,
  })
  const { actor, actor_key_id, object_type } = main as Entry & { actor: string; actor_key_id: string }
  expect(others).toMatchObject(besides.map((also) => ({ action: also, actor, actor_key_id, object_type })))
  expect(await countAudit(pool)).toBe(before + 1 + besides.length)
})

test.each(mutations)('%s writes its record and its change in one transaction', async (name, operation) => {
  const fixture = await makeFixture(pool)
  const requestId = `one-${name}`
  const { data } = await send(operation.document, operation.variables(fixture), requestId)
  const { objectType, objectId } = recordOf(operation, fixture, data)
  const [table, id] = tables[objectType]
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from ${table} t, freshet.audit_log a
     where a.request_id = $1 and t.xmin = a.xmin and ($2::text is null or t.${id}::text = $2)`,
    [requestId, objectId],
  )
  expect(rows[0]!.n).toBeGreaterThan(0)
})

test.each(mutations)('%s changes nothing when its record cannot be written', async (_name, operation) => {
  const fixture = await makeFixture(pool)
  const before = await readState(pool)
  const { rows } = await pool.query<{ sql: string }>("select pg_get_functiondef('freshet.write_audit'::regproc) as sql")
  const signature = rows[0]!.sql.split(' RETURNS ')[0]
  await pool.query(`${signature} returns bigint language plpgsql as $$ begin raise exception 'the log is full'; end $$`)
  try {
    const { data, errors } = await send(operation.document, operation.variables(fixture))
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([null, ['INTERNAL_SERVER_ERROR']])
    expect(await readState(pool)).toEqual(before)
  } finally {
    await pool.query(rows[0]!.sql)
  }
})

/** Sent in the place of what names the object, or else of a name: no such object, and no name. */
const wrongText = (given: unknown) => {
  const found = typeof given === 'string' ? readId(given) : undefined
  return found ? encodeId(found.typename, 987_654_321) : ''
}

test.each(mutations)('%s that is refused by its own rules leaves no record', async (name, operation) => {
  const field = schema.getMutationType()!.getFields()[name.replace('Mutation.', '')]!
  const place = placesOf(field).find(({ type }) => type === 'ID' || type === 'String')!
  const given = operation.variables(await makeFixture(pool))
  const variables = putText(field, given, place, wrongText(valueAt(given, place.steps)))
  const before = await countAudit(pool)
  const { errors } = await send(operation.document, variables)
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
    expect.stringMatching(/^(NOT_FOUND|RUN_NOT_FOUND|BAD_USER_INPUT|IMPORT_REFUSED)$/),
  ])
  expect(errors?.every((error) => isRefusedFor(place, variables, error))).toBe(true)
  expect(await countAudit(pool)).toBe(before)
})

const someChanges: unknown = expect.toSatisfy((changes: object) => Object.keys(changes).length > 0)

/** What the second of two equal mutations does, as the table says it. */
function outcomeOf(repeated: Mutation<Fixture>['repeated']) {
  if (repeated === 'new') return { codes: [], isSame: false, changes: [someChanges] }
  if (repeated === 'same') return { codes: [], isSame: true, changes: [{}] }
  if (typeof repeated === 'string') return { codes: [repeated], isSame: true, changes: [] }
  return { codes: [], isSame: true, changes: [repeated] }
}

test.each(mutations)('a second %s does what the table says of it', async (name, operation) => {
  const fixture = await makeFixture(pool)
  const variables = operation.variables(fixture)
  await send(operation.document, variables)
  const { audit_log: _first, ...before } = await readState(pool)
  const { errors } = await send(operation.document, variables, `again-${name}`)
  const { audit_log: _second, ...after } = await readState(pool)
  expect({
    codes: errors?.map(({ extensions }) => extensions.code) ?? [],
    isSame: isDeepStrictEqual(after, before),
    changes: (await entriesOf(`again-${name}`)).map(({ changes }) => changes),
  }).toEqual(outcomeOf(operation.repeated))
})

test('a second review is recorded with its own time, and nothing else', async () => {
  const { Source } = await makeFixture(pool)
  const review = 'mutation ($id: ID!) { reviewSource(input: { id: $id, tosApprovedBy: "Ann" }) { id } }'
  await send(review, { id: Source })
  await send(review, { id: Source }, 'second-review')
  expect((await entriesOf('second-review')).map(({ changes }) => Object.keys(changes))).toEqual([['tosReviewedAt']])
})

test('a configuration whose keys come back in another order from the database counts as the same', async () => {
  const { Source } = await makeFixture(pool)
  const scrapeConfig = {
    requestsPerSecond: 1,
    fetcherType: 'HTTP',
    customHeaders: [{ name: 'Accept-Language', value: 'de' }],
  }
  const update = 'mutation ($input: UpdateSourceInput!) { updateSource(input: $input) { scrapeConfig } }'
  await send(update, { input: { id: Source, scrapeConfig } })
  await send(update, { input: { id: Source, scrapeConfig } }, 'same-configuration')
  expect((await entriesOf('same-configuration')).map(({ changes }) => changes)).toEqual([{}])
})

test('several mutations of one request leave one line each, in their order', async () => {
  const { Source } = await makeFixture(pool)
  const document = `mutation ($id: ID!) {
    hide: setSourceVisibility(id: $id, status: INELIGIBLE) { visibility { visible reason } }
    show: setSourceVisibility(id: $id, status: ELIGIBLE) { visibility { visible reason } }
  }`
  const { data } = await send(document, { id: Source }, 'two-in-one')
  expect(data).toEqual({
    hide: { visibility: { visible: false, reason: 'INELIGIBLE' } },
    show: { visibility: { visible: true, reason: 'DIRECT_WITHOUT_PRIMARY' } },
  })
  expect((await entriesOf('two-in-one')).map(({ changes }) => changes)).toEqual([
    { visibilityStatus: { from: 'ELIGIBLE', to: 'INELIGIBLE' } },
    { visibilityStatus: { from: 'INELIGIBLE', to: 'ELIGIBLE' } },
  ])
})
