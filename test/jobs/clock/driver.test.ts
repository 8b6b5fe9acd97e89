import { afterAll, beforeEach, expect, test } from 'vitest'
import { offerTick } from '../../../src/domain/schedules/clock.ts'
import { readConfig } from '../../../src/config.ts'
import { arrangeDriver, changeJob } from '../../../src/jobs/clock/driver.ts'
import { createLog } from '../../../src/log.ts'
import { makeQueue } from '../../support/queue.ts'
import { cloneDatabase } from '../../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await makeQueue(pool, 'notify')

const alerts = async () => (await pool.query('select kind, resolved_at is null as is_open from freshet.alerts')).rows
const clock = async () => (await pool.query('select driver, lease_until from freshet.clock')).rows[0]

beforeEach(async () => {
  await pool.query('delete from freshet.alerts')
  await pool.query('update freshet.clock set driver = null, lease_until = null, last_tick_at = null')
})

test('FRESHET_PG_CRON=false: a worker drives at its next beat, and no alert says that it took over', async () => {
  await pool.query('select freshet.tick()')
  expect(await offerTick(pool, 'worker a:1')).toMatchObject({ drives: false })
  await changeJob(false, database.url)
  expect(await clock()).toEqual({ driver: null, lease_until: null })
  expect(await offerTick(pool, 'worker a:1')).toMatchObject({ drives: true })
  expect(await alerts()).toEqual([])
})

test('FRESHET_PG_CRON=false ends the alert that a worker took over, and leaves the clock with that worker', async () => {
  await pool.query("select freshet.tick(p_now => now() - interval '151 seconds')")
  await offerTick(pool, 'worker a:1')
  expect(await alerts()).toEqual([{ kind: 'CLOCK_TAKEN_OVER', is_open: true }])
  const before = await clock()
  await changeJob(false, database.url)
  expect(await alerts()).toEqual([{ kind: 'CLOCK_TAKEN_OVER', is_open: false }])
  expect(await clock()).toEqual(before)
  await offerTick(pool, 'worker a:1')
  expect(await alerts()).toEqual([{ kind: 'CLOCK_TAKEN_OVER', is_open: false }])
})

test('who may not migrate goes by the clock: pg_cron drives while it beats in time, then it is looked for', async () => {
  const { config } = readConfig({ FRESHET_MIGRATE: 'false' }, { forServer: false })
  const place = { pool, directUrl: database.url, log: createLog({ level: 'silent' }) }
  await pool.query("select freshet.tick(p_now => now() - interval '150 seconds')")
  expect(await arrangeDriver(config, place)).toEqual({ home: 'the cluster' })
  await pool.query("select freshet.tick(p_now => now() - interval '170 seconds')")
  expect(await arrangeDriver(config, place)).toHaveProperty('reason')
})
