import { afterAll, expect, test } from 'vitest'
import { digestKey } from '../../src/domain/access/key.ts'
import { startTestApp, type Answer } from '../support/app.ts'
import { makeFixture, operations } from '../support/operations.ts'
import { countAudit, readState } from './state.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = await app.keyWith('ADMIN')
const mutations = Object.entries(operations).filter(([name]) => name.startsWith('Mutation.'))

type Entry = { action: string; object_type: string; object_id: string | null; changes: Record<string, unknown> }

async function send(query: string, variables: object | undefined, requestId = 'a-request') {
  const response = await app.post({ query, variables }, { key, headers: { 'x-request-id': requestId } })
  return (await response.json()) as Answer<Record<string, { id?: string }>>
}
async function entriesOf(requestId: string) {
  const sql =
    'select action, object_type, object_id, changes, request_id, actor, actor_key_id from freshet.audit_log where request_id = $1 order by id'
  return (await pool.query<Entry>(sql, [requestId])).rows
}

test.each(mutations)('%s records who did what to which object, and by which request', async (name, operation) => {
  const fixture = await makeFixture(pool)
  const before = await countAudit(pool)
  const { data, errors } = await send(operation.document, operation.variables?.(fixture), name)
  expect(errors).toBeUndefined()
  const { action, objectType, objectId, changes } = operation.recorded!(fixture, data!)
  const { prefix, hash } = digestKey(key)!
  const keys = await pool.query<{ id: string }>('select id from freshet.api_keys where hash = $1', [hash])
  expect(await entriesOf(name)).toEqual([
    {
      action,
      object_type: objectType,
      object_id: objectId,
      changes,
      request_id: name,
      actor: `ADMIN (${prefix}…)`,
      actor_key_id: keys.rows[0]!.id,
    },
  ])
  expect(await countAudit(pool)).toBe(before + 1)
})

/** Where an object is kept, and by what it is known there. */
const tables: Record<string, [table: string, id: string]> = {
  Retailer: ['freshet.retailers', 'id'],
  Source: ['freshet.sources', 'id'],
  ApiKey: ['freshet.api_keys', 'id'],
  Alert: ['freshet.alerts', 'id'],
  Job: ['pgboss.job', 'id'],
  Queue: ['pgboss.job', 'name'],
  Schedule: ['freshet.schedules', 'id'],
}

test.each(mutations)('%s writes its record and its change in one transaction', async (name, operation) => {
  const fixture = await makeFixture(pool)
  const requestId = `one-${name}`
  const { data } = await send(operation.document, operation.variables?.(fixture), requestId)
  const { objectType, objectId } = operation.recorded!(fixture, data!)
  const [table, id] = tables[objectType]!
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
    const { data, errors } = await send(operation.document, operation.variables?.(fixture))
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([null, ['INTERNAL_SERVER_ERROR']])
    expect(await readState(pool)).toEqual(before)
  } finally {
    await pool.query(rows[0]!.sql)
  }
})

test.each(mutations)('%s that is refused leaves no record', async (_name, operation) => {
  const known = Object.keys(operation.variables!(await makeFixture(pool)))
  const before = await countAudit(pool)
  const nowhere = Buffer.from('Retailer:999999').toString('base64url')
  const variables = {
    id: nowhere,
    csv: '',
    queue: 'nowhere',
    name: 'nowhere',
    input: { id: nowhere, retailerId: nowhere, name: '', scopes: [], tosApprovedBy: '' },
  }
  const asked = Object.fromEntries(Object.entries(variables).filter(([name]) => known.includes(name)))
  expect((await send(operation.document, asked)).errors).not.toBeUndefined()
  expect(await countAudit(pool)).toBe(before)
})

/** Sends the same mutation twice and gives back what the second one recorded and changed. */
async function repeat(name: string) {
  const operation = operations[name]!
  const fixture = await makeFixture(pool)
  const variables = operation.variables?.(fixture)
  await send(operation.document, variables)
  const { audit_log: _first, ...before } = await readState(pool)
  const requestId = `again-${name}`
  const { errors, data } = await send(operation.document, variables, requestId)
  const { audit_log: _second, ...after } = await readState(pool)
  expect(errors).toBeUndefined()
  return {
    isSame: JSON.stringify(after) === JSON.stringify(before),
    entries: await entriesOf(requestId),
    data,
    fixture,
  }
}

test.each([
  'updateRetailer',
  'updateSource',
  'setDisplayPrimary',
  'setSourceVisibility',
  'revokeApiKey',
  'acknowledgeAlert',
  'resolveAlert',
])(
  'a second %s with the same values changes nothing, not even updatedAt, and is recorded without changes',
  async (name) => {
    const { isSame, entries } = await repeat(`Mutation.${name}`)
    expect(isSame).toBe(true)
    expect(entries.map(({ changes }) => changes)).toEqual([{}])
  },
)

test.each(['importRetailers', 'importSources'])(
  'a second %s of the same list changes nothing and says so',
  async (name) => {
    const { isSame, entries } = await repeat(`Mutation.${name}`)
    expect(isSame).toBe(true)
    expect(entries).toHaveLength(1)
    expect(Object.values(entries[0]!.changes).every((change) => (change as { to: number }).to === 0)).toBe(true)
  },
)

test('a second review is a new one: it is recorded with its own time', async () => {
  const { isSame, entries } = await repeat('Mutation.reviewSource')
  expect(isSame).toBe(false)
  expect(entries.map(({ changes }) => Object.keys(changes))).toEqual([['tosReviewedAt']])
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
