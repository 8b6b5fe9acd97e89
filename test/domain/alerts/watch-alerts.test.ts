import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { listen } from '../../../src/db/listen.ts'
import { startAlertBell } from '../../../src/domain/alerts/alert-bell.ts'
import { watchAlerts } from '../../../src/domain/alerts/watch-alerts.ts'
import { createLog } from '../../../src/log.ts'
import { raise } from '../../support/alerts.ts'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

test('issue 4 §3: who watches alerts goes on after the database could not answer, and misses nothing', async () => {
  await using listener = await listen(database.url, createLog({ level: 'silent' }))
  using bell = startAlertBell({ listener })
  const left = new AbortController()
  const stream = watchAlerts({ bell, pool, now: () => at(), signal: left.signal }, undefined)
  expect((await stream.next()).value).toMatchObject({ type: 'StreamStart' })
  const next = stream.next()
  await pool.query('alter table freshet.alert_stream rename to alert_stream_away')
  const id = await raise(pool)
  await Promise.race([wait(300), next]) // it was told meanwhile, and could not read
  await pool.query('alter table freshet.alert_stream_away rename to alert_stream')
  expect((await next).value).toMatchObject({ type: 'AlertRaised', alertId: BigInt(id) })
  left.abort()
  await stream.return()
})

test('issue 4 §3: an alert that is raised between a look and the wait for the next ring is not waited for', async () => {
  let rung = Promise.withResolvers<void>()
  const bell = { keepAliveMs: 5_000, isStopped: false, next: () => rung.promise, [Symbol.dispose]: () => {} }
  let isDue = false
  const late = {
    async query(statement: { name: string; text: string; values: unknown[] }) {
      const answer = await pool.query<object>(statement)
      if (isDue && statement.name === 'place_alert_news') {
        isDue = false
        await raise(pool, { key: 'between' })
        rung.resolve()
        rung = Promise.withResolvers()
      }
      return answer
    },
  } as unknown as typeof pool
  const left = new AbortController()
  const stream = watchAlerts({ bell, pool: late, now: () => at(), signal: left.signal }, undefined)
  expect((await stream.next()).value).toMatchObject({ type: 'StreamStart' })
  isDue = true
  expect((await stream.next()).value).toMatchObject({ type: 'AlertRaised' })
  left.abort()
  await stream.return()
})

test('a process that stops lets nobody wait for alerts', async () => {
  await using listener = await listen(database.url, createLog({ level: 'silent' }))
  const bell = startAlertBell({ listener })
  const stream = watchAlerts({ bell, pool, now: () => at(), signal: new AbortController().signal }, undefined)
  expect((await stream.next()).value).toMatchObject({ type: 'StreamStart' })
  const last = stream.next()
  bell[Symbol.dispose]()
  expect(await last).toEqual({ done: true, value: undefined })
})
