import { afterAll, expect, test } from 'vitest'
import { findChanges } from '../sql/schedule/cron-changes.ts'
import { type Change, occurrences } from '../sql/schedule/cron-oracle.ts'
import { makeQueue } from '../support/queue.ts'
import { aSchedule, trialQueue } from '../support/rows.ts'
import { cloneDatabase } from '../support/database.ts'
import { report, seededRandom } from './seed.ts'

// R14: a simulated year of schedules with both changes of clocks, 29 February and clock steps of ± 1 h: none missed, none
// doubled. The year is 2028; what is expected comes from a walk over each of its minutes, not from cron_next.
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await makeQueue(pool, trialQueue)

const hourMs = 3_600_000
const [start, end] = [Date.UTC(2028, 0), Date.UTC(2029, 0)]
const zones = ['UTC', 'Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana', 'Asia/Kolkata']
const expressions = [
  '30 2 * * *',
  '0 0 * * *',
  '15 * * * *',
  '*/30 1-3 * * *',
  '0 0 29 2 *',
  '45 23 * * 6',
  '0 9 1,15 * 1',
]
const changes = await findChanges(pool, zones)
const offsetOf: Record<string, number> = { 'Asia/Kolkata': 5.5 * hourMs }

type Planned = { id: string; times: number[] }

/** A schedule for each expression in each zone, with the times that are expected of it. */
async function plan(): Promise<Planned[]> {
  await pool.query('delete from freshet.schedules; delete from pgboss.job')
  await pool.query('update freshet.clock set driver = null, lease_until = null, last_tick_at = null')
  const planned: Planned[] = []
  for (const zone of zones) {
    const offset = offsetOf[zone] ?? 0
    const own = changes.filter((change) => change.zone === zone)
    const still: Change[] = [{ zone, at: 0, before: offset, after: offset }]
    for (const cron of expressions) {
      const times = [...occurrences(cron, start, end, own.length ? own : still)]
      const id = await aSchedule(pool, { cron, time_zone: zone, next_run_at: new Date(times[0]!) })
      planned.push({ id, times })
    }
  }
  return planned
}

const tick = (now: number) => pool.query("select freshet.tick('worker', interval '15 seconds', $1)", [new Date(now)])

/** What was enqueued since the last look: `schedule time`. */
async function takeJobs(): Promise<string[]> {
  const sql = `delete from pgboss.job where name = $1 returning data ->> 'scheduleId' as id, data ->> 'dueAt' as due`
  const { rows } = await pool.query<{ id: string; due: string }>(sql, [trialQueue])
  return rows.map(({ id, due }) => `${id} ${due}`)
}

/** Beats up to five seconds after each moment. */
async function beat(moments: number[], random: () => number): Promise<string[]> {
  const enqueued: string[] = []
  for (const [index, moment] of moments.entries()) {
    await tick(moment + Math.floor(random() * 5000))
    if (index % 500 === 499) enqueued.push(...(await takeJobs()))
  }
  return [...enqueued, ...(await takeJobs())]
}

const momentsOf = (planned: Planned[]) => [...new Set(planned.flatMap(({ times }) => times))].toSorted((a, b) => a - b)
const nameOf = (id: string, time: number) => `${id} ${new Date(time).toISOString()}`

test('R14: in a year with both changes of clocks and 29 February none is missed and none doubled', async () => {
  const random = seededRandom('R14 year', 14)
  const planned = await plan()
  const moments = momentsOf(planned)
  const enqueued = await beat(moments, random)
  const expected = planned.flatMap(({ id, times }) => times.map((time) => nameOf(id, time)))
  expect(
    planned
      .filter((_, index) => expressions[index % expressions.length] === '0 0 29 2 *')
      .map(({ times }) => times.length),
  ).toEqual(zones.map(() => 1))
  report('R14', {
    schedules: planned.length,
    beats: moments.length,
    expected: expected.length,
    enqueued: enqueued.length,
  })
  expect(enqueued.toSorted()).toEqual(expected.toSorted())
})

test('R14: clock steps of ± 1 h double nothing, and what a step passes over happens once behind it', async () => {
  const random = seededRandom('R14 steps', 1428)
  const planned = await plan()
  const moments = momentsOf(planned)
  // 40 steps are drawn, one right before and one right behind each change of clocks among them; those that the hour of a
  // step before passes over are left out.
  const near = changes
    .filter(({ at }) => at > start && at < end)
    .flatMap(({ at }) => [at - hourMs / 4, at + hourMs / 4])
  const any = Array.from({ length: 40 - near.length }, () => start + 2 * hourMs + random() * (end - start - 4 * hourMs))
  const steps = [...near, ...any]
    .toSorted((a, b) => a - b)
    .map((at, index) => ({ at: Math.floor(at), isForward: index % 2 === 0 }))
  const enqueued: string[] = []
  let from = start
  let taken = 0
  for (const { at, isForward } of steps) {
    if (at < from) continue // passed over by the step before
    taken += 1
    enqueued.push(
      ...(await beat(
        moments.filter((moment) => moment >= from && moment + 5000 < at),
        random,
      )),
    )
    if (isForward) await tick((from = at + hourMs))
    else {
      // The hour comes again, minute by minute.
      for (let again = at - hourMs; again < at; again += 60_000) await tick(again)
      from = at - 10_000
    }
    enqueued.push(...(await takeJobs()))
  }
  enqueued.push(
    ...(await beat(
      moments.filter((moment) => moment >= from),
      random,
    )),
  )

  const happened = new Set(enqueued)
  const forward = steps.filter(({ isForward }) => isForward)
  const missed = planned.flatMap(({ id, times }) =>
    times.filter((time) => {
      if (happened.has(nameOf(id, time))) return false
      const step = forward.find(({ at }) => time + 5000 >= at && time <= at + hourMs)
      return !step || !times.some((other) => other < time && other + 5000 >= step.at && happened.has(nameOf(id, other)))
    }),
  )
  const expected = new Set(planned.flatMap(({ id, times }) => times.map((time) => nameOf(id, time))))
  const invented = enqueued.filter((one) => !expected.has(one))
  report('R14', {
    steps: taken,
    enqueued: enqueued.length,
    doubled: enqueued.length - happened.size,
    missed: missed.length,
  })
  expect(taken).toBeGreaterThan(30)
  expect(enqueued.length).toBe(happened.size)
  expect(missed).toEqual([])
  expect(invented).toEqual([])
})
