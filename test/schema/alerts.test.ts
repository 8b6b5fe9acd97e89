import type pg from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { clearAlerts, raise, resolve } from '../support/alerts.ts'
import { at } from '../support/moment.ts'
import { startTestApp } from '../support/app.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { inTurn } from '../support/while-held.ts'

const now = at(100)
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, now: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = await app.keyWith('OPERATE')
beforeEach(() => clearAlerts(pool))

type Shown = Record<string, unknown> & { id: string }
const list = async (filter: object | null, fields = 'subject') => {
  const query = `query ($filter: AlertFilter) { alerts(filter: $filter) { totalCount nodes { id ${fields} } } }`
  const { data, errors } = await app.ask<{ alerts: { totalCount: number; nodes: Shown[] } }>(query, { filter }, { key })
  expect(errors).toBeUndefined()
  return data!.alerts
}
const subjects = async (filter: object | null) => (await list(filter)).nodes.map(({ subject }) => subject)
const mutate = async (name: string, id: string, fields: string) => {
  const query = `mutation ($id: ID!) { ${name}(id: $id) { ${fields} } }`
  return app.ask<Record<string, Shown>>(query, { id: encodeId('Alert', id) }, { key })
}

test('a severity named 60,000 times is asked for once', async () => {
  await raise(pool, { severity: 'P1', subject: 'a' })
  expect(await subjects({ severity: Array<string>(60_000).fill('P1') })).toEqual(['a'])
})

test('an alert shows what was told, when, how often, and whether it was delivered', async () => {
  const source = await aSource(pool, await aRetailer(pool), { name: 'the source' })
  const id = await raise(pool, { severity: 'P3', details: { rows: 3 }, sourceId: source })
  await raise(pool, { severity: 'P1', message: 'It failed twice.', details: { rows: 4 }, now: at(1) })
  await pool.query("update freshet.alert_news set is_pending = false, delivered_at = $1 where severity = 'P1'", [at(2)])
  const fields =
    'kind severity subject message details dedupeKey isOpen timesRaised raisedAt lastRaisedAt acknowledgedAt resolvedAt deliveredAt deliveryError source { name }'
  expect((await list(null, fields)).nodes).toEqual([
    {
      id: encodeId('Alert', id),
      kind: 'RUN_FAILED',
      severity: 'P1',
      subject: 'feed 1',
      message: 'It failed twice.',
      details: { rows: 4 },
      dedupeKey: 'feed:1',
      isOpen: true,
      timesRaised: 2,
      raisedAt: at(0).toISOString(),
      lastRaisedAt: at(1).toISOString(),
      acknowledgedAt: null,
      resolvedAt: null,
      deliveredAt: at(2).toISOString(),
      deliveryError: null,
      source: { name: 'the source' },
    },
  ])
})

test('alerts are listed newest first, filtered by state, severity, kind and source', async () => {
  const source = await aSource(pool, await aRetailer(pool))
  await raise(pool, { key: 'a', subject: 'a', severity: 'P1', kind: 'CLOCK_LATE' })
  await raise(pool, { key: 'b', subject: 'b', severity: 'P2', sourceId: source })
  await raise(pool, { key: 'c', subject: 'c', severity: 'P3' })
  await resolve(pool, 'c', at(1))
  await pool.query("update freshet.alerts set acknowledged_at = $1, acknowledged_by = 'x' where subject = 'b'", [at(1)])
  expect(await subjects(null)).toEqual(['c', 'b', 'a'])
  expect(await subjects({ isOpen: true })).toEqual(['b', 'a'])
  expect(await subjects({ isOpen: false })).toEqual(['c'])
  expect(await subjects({ isAcknowledged: true })).toEqual(['b'])
  expect(await subjects({ isOpen: true, isAcknowledged: false })).toEqual(['a'])
  expect(await subjects({ severity: ['P1', 'P3'] })).toEqual(['c', 'a'])
  expect(await subjects({ kind: 'CLOCK_LATE' })).toEqual(['a'])
  expect(await subjects({ sourceId: encodeId('Source', source) })).toEqual(['b'])
  expect((await list({ isOpen: true })).totalCount).toBe(2)
})

test('an operator acknowledges an alert: it stays open, and a second time changes nothing', async () => {
  const id = await raise(pool)
  const fields = 'isOpen acknowledgedAt acknowledgedBy'
  const first = await mutate('acknowledgeAlert', id, fields)
  expect(first.data).toEqual({
    acknowledgeAlert: {
      isOpen: true,
      acknowledgedAt: now.toISOString(),
      acknowledgedBy: expect.stringMatching(/^OPERATE/),
    },
  })
  expect(await mutate('acknowledgeAlert', id, fields)).toEqual(first)
})

test('an operator resolves an alert; the next raise is a new one', async () => {
  const id = await raise(pool)
  const first = await mutate('resolveAlert', id, 'isOpen resolvedAt resolvedBy')
  expect(first.data).toEqual({
    resolveAlert: { isOpen: false, resolvedAt: now.toISOString(), resolvedBy: expect.stringMatching(/^OPERATE/) },
  })
  expect(await mutate('resolveAlert', id, 'isOpen resolvedAt resolvedBy')).toEqual(first)
  expect(await raise(pool)).not.toBe(id)
})

test('one that ended by itself names no resolver, and can no longer be acknowledged', async () => {
  const id = await raise(pool)
  await resolve(pool, 'feed:1', at(1))
  expect((await mutate('acknowledgeAlert', id, 'acknowledgedAt resolvedAt resolvedBy')).data).toEqual({
    acknowledgeAlert: { acknowledgedAt: null, resolvedAt: at(1).toISOString(), resolvedBy: null },
  })
})

test.each([
  ['acknowledged', ['acknowledgeAlert', 'resolveAlert'], { acknowledgedBy: true, resolvedBy: true }],
  ['resolved', ['resolveAlert', 'acknowledgeAlert'], { acknowledgedBy: false, resolvedBy: true }],
] as const)('acknowledged and resolved at once, an alert that is %s first', async (_first, [first, second], left) => {
  const id = await raise(pool)
  const hold = (client: pg.PoolClient) => client.query('select from freshet.alerts where id = $1 for update', [id])
  const fields = 'isOpen acknowledgedBy resolvedBy'
  const answers = await inTurn(pool, hold, [() => mutate(first, id, fields), () => mutate(second, id, fields)])
  expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined])
  const [shown] = (await list({ isOpen: false }, fields)).nodes
  expect(shown).toMatchObject({ isOpen: false })
  expect({ acknowledgedBy: shown?.acknowledgedBy !== null, resolvedBy: shown?.resolvedBy !== null }).toEqual(left)
  const { rows } = await pool.query<{ action: string; fields: string[] }>(
    `select action, array(select jsonb_object_keys(changes) order by 1) as fields from freshet.audit_log
     where object_type = 'Alert' and object_id = $1 order by id`,
    [id],
  )
  const changed = {
    acknowledgeAlert: left.acknowledgedBy ? ['acknowledgedAt', 'acknowledgedBy'] : [],
    resolveAlert: ['resolvedAt', 'resolvedBy'],
  }
  const actions = { acknowledgeAlert: 'ACKNOWLEDGE_ALERT', resolveAlert: 'RESOLVE_ALERT' }
  expect(rows).toEqual([first, second].map((name) => ({ action: actions[name], fields: changed[name] })))
})

test.each(['acknowledgeAlert', 'resolveAlert'])('%s of an alert that is not there says so', async (name) => {
  const { errors } = await mutate(name, '999999', 'id')
  expect(errors?.map(({ message, extensions }) => [message, extensions.code, extensions.field])).toEqual([
    ['There is no such alert.', 'NOT_FOUND', 'id'],
  ])
})
