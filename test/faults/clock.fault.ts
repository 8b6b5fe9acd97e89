import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { makeQueue } from '../support/queue.ts'
import { trialQueue } from '../support/rows.ts'
import { cloneDatabase } from '../support/database.ts'
import { report, seededRandom } from './seed.ts'

// R5: 8 ticks at once on 1,000 due items, 100 of them killed between claim and commit: each is enqueued once for each due time.
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
for (const queue of [trialQueue, 'other']) await makeQueue(pool, queue)

const [items, kills, callers, periodSeconds] = [1_000, 100, 8, 60]
const start = Date.UTC(2026, 0, 1)

/** Ticks in a transaction of its own and ends as told: committed, or killed when all is claimed and nothing committed. */
async function tick(now: Date, dies: boolean): Promise<{ claimed: number; diedWithClaims: boolean }> {
  const client = new pg.Client(database.url)
  client.on('error', () => {}) // it is killed on purpose
  await client.connect()
  const { rows: own } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  try {
    await client.query('begin')
    const { rows } = await client.query<{ claimed: number }>('select claimed from freshet.tick(p_now => $1)', [now])
    if (dies) {
      const ended = new Promise((done) => client.once('end', done))
      await pool.query('select pg_terminate_backend($1)', [own[0]?.pid])
      await ended
      return { claimed: 0, diedWithClaims: Boolean(rows[0]?.claimed) }
    }
    await client.query('commit')
    return { claimed: rows[0]?.claimed ?? 0, diedWithClaims: false }
  } finally {
    if (!dies) await client.end()
  }
}

test('R5: each due time is enqueued exactly once', async () => {
  const random = seededRandom('R5', 20_260_105)
  await pool.query('delete from freshet.schedules')
  await pool.query(
    `insert into freshet.schedules (name, kind, queue, period_seconds, next_run_at)
     select 'item ' || n, 'item ' || n, case when n % 2 = 0 then $1 else 'other' end, $2, $3 from generate_series(1, $4) n`,
    [trialQueue, periodSeconds, new Date(start), items],
  )
  let killed = 0
  let rounds = 0
  let claimed = 0
  let diedWithClaims = 0
  // A round is eight at once at one due time; those that die leave it to the others, or to the next round at that time.
  while (diedWithClaims < kills) {
    const now = new Date(start + rounds * periodSeconds * 1_000)
    let taken = 0
    while (taken < items) {
      const fates: boolean[] = []
      while (fates.length < callers) {
        const dies = diedWithClaims < kills && random() < 0.5
        fates.push(dies)
        if (dies) killed++
      }
      for (const end of await Promise.all(fates.map((dies) => tick(now, dies)))) {
        taken += end.claimed
        if (end.diedWithClaims) diedWithClaims++
      }
      if (fates.every((dies) => dies)) continue
      expect(taken).toBe(items)
    }
    claimed += taken
    rounds++
  }
  const { rows } = await pool.query(
    `select count(*)::int as jobs, count(distinct (data ->> 'scheduleId', data ->> 'dueAt'))::int as "dueTimes"
     from pgboss.job where name = any($1)`,
    [[trialQueue, 'other']],
  )
  expect(diedWithClaims).toBeGreaterThanOrEqual(kills)
  expect(rows).toEqual([{ jobs: rounds * items, dueTimes: rounds * items }])
  expect(claimed).toBe(rounds * items)
  report('R5', { items, callers, killed, diedWithClaims, dueTimes: rounds, jobs: rounds * items, lost: 0, doubled: 0 })
})
