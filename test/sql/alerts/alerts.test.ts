import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { clearAlerts, countJobs, raise, resolve } from '../../support/alerts.ts'
import { at } from '../../support/moment.ts'
import { aRetailer, aSource } from '../../support/rows.ts'
import { startRun } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
beforeEach(() => clearAlerts(pool))

const alerts = async (columns: string) => (await pool.query(`select ${columns} from freshet.alerts order by id`)).rows
const news = async () => (await pool.query('select severity, at, is_pending from freshet.alert_news order by id')).rows

test('an alert is stored as it was raised, announced once and handed to the queue notify', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool))
  const id = await raise(pool, { details: { count: 3 }, sourceId })
  expect(
    await alerts(
      'id, kind, severity, subject, dedupe_key, message, details, source_id, run_id, times_raised, raised_at, last_raised_at, acknowledged_at, resolved_at',
    ),
  ).toEqual([
    {
      id,
      kind: 'RUN_FAILED',
      severity: 'P3',
      subject: 'feed 1',
      dedupe_key: 'feed:1',
      message: 'It failed.',
      details: { count: 3 },
      source_id: sourceId,
      run_id: null,
      times_raised: 1,
      raised_at: at(0),
      last_raised_at: at(0),
      acknowledged_at: null,
      resolved_at: null,
    },
  ])
  expect(await news()).toEqual([{ severity: 'P3', at: at(0), is_pending: true }])
  expect(await countJobs(pool)).toBe(1)
})

test('raised again it is counted, not repeated: the latest message stands, the first moment stays', async () => {
  const id = await raise(pool)
  expect(await raise(pool, { message: 'It failed again.', details: null, now: at(60) })).toBe(id)
  expect(await alerts('times_raised, message, details, raised_at, last_raised_at')).toEqual([
    { times_raised: 2, message: 'It failed again.', details: {}, raised_at: at(0), last_raised_at: at(60) },
  ])
  expect(await news()).toHaveLength(1)
  expect(await countJobs(pool)).toBe(1)
})

test('raised again without them it keeps its source and its run, and the latest moment that it was raised at', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool))
  const { id: runId } = await startRun(pool)
  await raise(pool, { sourceId, runId, now: at(60) })
  await raise(pool, { now: at(59) })
  expect(await alerts('source_id, run_id, times_raised, last_raised_at')).toEqual([
    { source_id: sourceId, run_id: runId, times_raised: 2, last_raised_at: at(60) },
  ])
})

test('issue 4 §4: a more severe raise escalates: it is told again and wants a new acknowledgement', async () => {
  const id = await raise(pool, { severity: 'P3' })
  await pool.query("update freshet.alerts set acknowledged_at = $1, acknowledged_by = 'a person'", [at(1)])
  await raise(pool, { severity: 'P2', now: at(2) })
  expect(await alerts('id, severity, times_raised, acknowledged_at, acknowledged_by')).toEqual([
    { id, severity: 'P2', times_raised: 2, acknowledged_at: null, acknowledged_by: null },
  ])
  expect(await news()).toEqual([
    { severity: 'P3', at: at(0), is_pending: true },
    { severity: 'P2', at: at(2), is_pending: true },
  ])
  expect(await countJobs(pool)).toBe(2)
})

test('one as severe, or less, leaves severity and acknowledgement as they are and is no news', async () => {
  await raise(pool, { severity: 'P2' })
  await pool.query("update freshet.alerts set acknowledged_at = $1, acknowledged_by = 'a person'", [at(1)])
  await raise(pool, { severity: 'P2' })
  await raise(pool, { severity: 'P3' })
  expect(await alerts('severity, times_raised, acknowledged_at, acknowledged_by')).toEqual([
    { severity: 'P2', times_raised: 3, acknowledged_at: at(1), acknowledged_by: 'a person' },
  ])
  expect(await news()).toHaveLength(1)
  expect(await countJobs(pool)).toBe(1)
})

test('the end of its condition resolves it, once; the next raise is a new alert', async () => {
  const first = await raise(pool)
  expect(await resolve(pool, 'feed:1', at(5))).toBe(true)
  expect(await resolve(pool, 'feed:1', at(6))).toBe(false)
  expect(await resolve(pool, 'feed:2', at(6))).toBe(false)
  const second = await raise(pool, { now: at(7) })
  expect(await alerts('id, resolved_at, resolved_by, times_raised')).toEqual([
    { id: first, resolved_at: at(5), resolved_by: null, times_raised: 1 },
    { id: second, resolved_at: null, resolved_by: null, times_raised: 1 },
  ])
  expect(await news()).toHaveLength(2)
  expect(await countJobs(pool)).toBe(2)
})

test('issue 4 §4: 20 raises of one key at once make one row, counted 20 times, and one delivery', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => raise(pool)))
  expect(new Set(ids).size).toBe(1)
  expect(await alerts('times_raised')).toEqual([{ times_raised: 20 }])
  expect(await news()).toHaveLength(1)
  expect(await countJobs(pool)).toBe(1)
})

test('raises and resolutions of one key at once never leave two open, nor lose a raise', async () => {
  const work = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0 ? resolve(pool, 'feed:1', at(index)) : raise(pool, { now: at(index) }),
  )
  await Promise.all(work)
  const { rows } = await pool.query(
    'select count(*) filter (where resolved_at is null)::int <= 1 as is_one_open, sum(times_raised)::int as raised from freshet.alerts',
  )
  expect(rows).toEqual([{ is_one_open: true, raised: 40 }])
})

test('a raise that is rolled back leaves nothing: no alert, no news, no job', async () => {
  const client = await pool.connect()
  await client.query('begin')
  await raise(client)
  await client.query('rollback')
  client.release()
  expect([await alerts('id'), await news(), await countJobs(pool)]).toEqual([[], [], 0])
})

test('S2 §15.2: without the queue notify the caller commits, and the alert waits to be delivered', async () => {
  const { rows } = await pool.query<{ row: object }>(
    "delete from pgboss.queue where name = 'notify' returning to_jsonb(queue) as row",
  )
  expect(rows).toHaveLength(1)
  try {
    await raise(pool)
    expect(await news()).toEqual([{ severity: 'P3', at: at(0), is_pending: true }])
  } finally {
    await pool.query('insert into pgboss.queue select * from jsonb_populate_record(null::pgboss.queue, $1)', [
      rows[0]!.row,
    ])
  }
  expect(await countJobs(pool)).toBe(0)
  expect((await pool.query('select freshet.wake_notify($1) as woken', [at(1)])).rows).toEqual([{ woken: true }])
  expect(await countJobs(pool)).toBe(1)
})

test('S2 §15.2: a transaction that raised an alert and stays open delays no other raise, placing or delivery', async () => {
  const client = await pool.connect()
  await client.query('begin')
  await raise(client, { key: 'feed:1' })
  await raise(pool, { key: 'feed:2' })
  await pool.query('select freshet.place_alert_news()')
  const claimed = await pool.query<{ alerts: { subject: string }[] }>(
    'select alerts from freshet.claim_alerts(gen_random_uuid(), $1)',
    [at(1)],
  )
  expect(claimed.rows[0]!.alerts).toHaveLength(1)
  await client.query('rollback')
  client.release()
})

test('a table of its own holds what is told: delivery never waits for a run that holds its alert', async () => {
  await raise(pool)
  const client = await pool.connect()
  await client.query('begin')
  await raise(client)
  await pool.query('select freshet.place_alert_news()')
  const ids = await pool.query<{ id: string }>('select id from freshet.alert_news')
  const settled = await pool.query('select freshet.settle_alerts($1::bigint[], true, $2) as count', [
    ids.rows.map(({ id }) => id),
    at(1),
  ])
  expect(settled.rows).toEqual([{ count: 1 }])
  await client.query('commit')
  client.release()
  expect(await alerts('times_raised')).toEqual([{ times_raised: 2 }])
})
