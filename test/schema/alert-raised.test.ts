import { afterAll, beforeEach, expect, test } from 'vitest'
import { encodeCursor } from '../../src/schema/cursor.ts'
import { encodeId } from '../../src/schema/global-id.ts'
import { clearAlerts, raise } from '../support/alerts.ts'
import { at } from '../support/moment.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { messagesOf } from '../support/sse.ts'
import { until } from '../support/until.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = await app.keyWith('OPERATE')
beforeEach(() => clearAlerts(pool))

type Message = { __typename: string; cursor: string; severity?: string; isEscalation?: boolean; alert?: { id: string } }

const query = `subscription ($after: String) { alertRaised(after: $after) { __typename
  ... on StreamStart { cursor } ... on AlertRaised { cursor severity isEscalation alert { id } } ... on KeepAlive { at } } }`
const open = (from: TestApp, after?: string, withKey = key) =>
  from.post({ query, variables: { after } }, { key: withKey, headers: { accept: 'text/event-stream' } })

/** A subscriber that is past the first message. `take` reads so many more. */
async function subscribe(after?: string) {
  const messages = messagesOf(await open(app, after))
  const next = async (): Promise<Message> => {
    const { value } = await messages.next()
    return (JSON.parse(value ?? 'null') as { data: { alertRaised: Message } }).data.alertRaised
  }
  const start = await next()
  expect(start.__typename).toBe('StreamStart')
  return {
    start: start.cursor,
    take: async (count: number) => {
      const taken: Message[] = []
      while (taken.length < count) taken.push(await next())
      return taken
    },
    leave: () => messages.return(),
  }
}
const idsOf = (messages: Message[]) => messages.map(({ alert }) => alert?.id)

test('an alert arrives when it is raised and when it becomes more severe, not when it is only counted', async () => {
  const { take, leave } = await subscribe()
  const first = await raise(pool, { severity: 'P3' })
  await raise(pool, { severity: 'P3' })
  await raise(pool, { severity: 'P1' })
  const other = await raise(pool, { key: 'feed:2', severity: 'P2' })
  expect((await take(3)).map(({ cursor: _cursor, ...rest }) => rest)).toEqual([
    { __typename: 'AlertRaised', severity: 'P3', isEscalation: false, alert: { id: encodeId('Alert', first) } },
    { __typename: 'AlertRaised', severity: 'P1', isEscalation: true, alert: { id: encodeId('Alert', first) } },
    { __typename: 'AlertRaised', severity: 'P2', isEscalation: false, alert: { id: encodeId('Alert', other) } },
  ])
  await leave()
})

test('whoever resumes behind the last cursor seen gets what came meanwhile, and nothing twice', async () => {
  const before = await subscribe()
  const seen = await raise(pool, { key: 'seen' })
  const [last] = await before.take(1)
  await before.leave()
  const missed = await raise(pool, { key: 'missed' })
  const after = await subscribe(last!.cursor)
  const later = await raise(pool, { key: 'later' })
  const fromStart = await subscribe(before.start)
  expect(idsOf(await after.take(2))).toEqual([missed, later].map((id) => encodeId('Alert', id)))
  expect(idsOf(await fromStart.take(3))).toEqual([seen, missed, later].map((id) => encodeId('Alert', id)))
  await Promise.all([after.leave(), fromStart.leave()])
})

test('more than one page behind, every alert arrives once and in order', async () => {
  const { start, leave } = await subscribe()
  await leave()
  const ids: string[] = []
  for (let index = 0; index < 250; index++) ids.push(await raise(pool, { key: `feed:${index}` }))
  const behind = await subscribe(start)
  expect(idsOf(await behind.take(250))).toEqual(ids.map((id) => encodeId('Alert', id)))
  await behind.leave()
})

test('what is raised while nobody can listen arrives when the connection is back', async () => {
  const { take, leave } = await subscribe()
  const { rowCount } = await pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'freshet:listen'",
  )
  expect(rowCount).toBe(1)
  await until('the loss is noticed', () => app.log.some((line) => line.includes('the LISTEN connection was lost')))
  const unheard = await raise(pool, { key: 'unheard' })
  const [first] = await take(1)
  const heard = await raise(pool, { key: 'heard' })
  expect(idsOf([first!, ...(await take(1))])).toEqual([unheard, heard].map((id) => encodeId('Alert', id)))
  await leave()
})

test('RULINGS 4: transactions that commit in another order lose and repeat nothing, for two subscribers', async () => {
  const watchers = [await subscribe(), await subscribe()]
  const clients = await Promise.all(Array.from({ length: 5 }, () => pool.connect()))
  const ids: string[] = []
  for (const [index, client] of clients.entries()) {
    await client.query('begin')
    ids.push(await raise(client, { key: `feed:${index}` }))
  }
  for (const client of clients.toReversed()) {
    await client.query('commit')
    client.release()
    const id = encodeId('Alert', ids.pop()!)
    for (const { take } of watchers) expect(idsOf(await take(1))).toEqual([id])
  }
  await Promise.all(watchers.map(({ leave }) => leave()))
})

test('a quiet stream says that it lives, without a cursor', async () => {
  await using quiet = await startTestApp({ env: { FRESHET_ROLE: 'api' }, keepAliveMs: 20, now: () => at(7) })
  const messages = messagesOf(await open(quiet, undefined, await quiet.keyWith('OPERATE')))
  await messages.next()
  for (let count = 0; count < 2; count++)
    expect(JSON.parse((await messages.next()).value!)).toEqual({
      data: { alertRaised: { __typename: 'KeepAlive', at: at(7).toISOString() } },
    })
  await messages.return()
})

test('what to pass instead of a wrong cursor is told', async () => {
  const text = await (await open(app, 'nonsense')).text()
  expect(text).toContain('Use the `cursor` of the last event or of StreamStart')
})

test.each([
  ['of another list', encodeCursor('runEvents', [1n]), 'BAD_USER_INPUT'],
  ['that this database never gave', encodeCursor('alertRaised', [9_000_000n]), 'CURSOR_EXPIRED'],
])('a cursor %s is refused before the stream begins', async (_what, after, code) => {
  const text = await (await open(app, after)).text()
  expect(text).toContain(`"code":"${code}"`)
  expect(text).not.toContain('"__typename":"StreamStart"')
})

test('a cursor before what is kept is refused with what to read instead, the cursor of the last that went is not', async () => {
  const first = await subscribe()
  await raise(pool, { key: 'old' })
  const [old] = await first.take(1)
  await first.leave()
  await pool.query('update freshet.alerts set resolved_at = $1', [at(1)])
  await pool.query("select freshet.prune_alerts('0 days', $1, 10)", [at(2)])
  const text = await (await open(app, first.start)).text()
  expect(text).toContain('"code":"CURSOR_EXPIRED"')
  expect(text).toContain('Read the present state with `alerts`, then subscribe again without `after`.')
  const resumed = await subscribe(old!.cursor)
  await resumed.leave()
})
