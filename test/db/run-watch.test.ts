import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { connectRun } from '../../src/db/run-lock.ts'
import { watchConnection } from '../../src/db/run-watch.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { collectLines } from '../support/lines.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const log = createLog({ level: 'debug', destination: collectLines().stream })
const everyMs = 20

/** A way to the database that can fall silent: nothing passes any more, and nobody is told. */
async function silentWay() {
  const sockets = new Set<Socket>()
  let isSilent = false
  const { hostname, port } = new URL(database.url)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => !isSilent && to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => !isSilent && to.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(database.url)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    fallSilent: () => void (isSilent = true),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('R4: a run that waits on a connection that fell silent is told', async () => {
  await using way = await silentWay()
  await using connection = await connectRun(way.url, randomUUID(), log)
  using _watch = watchConnection(connection, pool, log, everyMs)
  way.fallSilent()
  const answer = connection.client.query('select 1').catch((error: unknown) => error)
  await until('the loss is noticed', () => connection.signal.aborted)
  expect(connection.signal.reason).toMatchObject({
    code: 'RUN_CONNECTION_LOST',
    message: expect.stringContaining('the server waits for the run, the run for the server') as string,
  })
  expect(await answer).toBeInstanceOf(Error)
})

test('R4: a run whose session the server has ended is told, though it waits for nothing', async () => {
  await using way = await silentWay()
  await using connection = await connectRun(way.url, randomUUID(), log)
  using _watch = watchConnection(connection, pool, log, everyMs)
  const { rows } = await connection.client.query<{ pid: number }>('select pg_backend_pid() as pid')
  way.fallSilent()
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  await until('the loss is noticed', () => connection.signal.aborted)
  expect(connection.signal.reason).toMatchObject({
    message: expect.stringContaining('the server has no such session any more') as string,
  })
})

test.each([
  ['is idle', 'select 1'],
  ['is idle in a transaction', 'begin'],
  ['waits for a long statement', 'select pg_sleep(0.3)'],
])('a connection that %s is left alone', async (_what, statement) => {
  await using connection = await connectRun(database.url, randomUUID(), log)
  let looks = 0
  const counting = new Proxy(pool, {
    get: (target, name) => {
      if (name === 'query') looks++
      return Reflect.get(target, name) as unknown
    },
  })
  using _watch = watchConnection(connection, counting, log, everyMs)
  await connection.client.query(statement)
  await until('it was looked at ten times', () => looks >= 10)
  expect(connection.signal.aborted).toBe(false)
  expect((await connection.client.query('select 1 as alive')).rows).toEqual([{ alive: 1 }])
})

test('a connection that was at work between two looks is left alone, though both found it idle', async () => {
  await using connection = await connectRun(database.url, randomUUID(), log)
  let looks = 0
  const seen = { query: async () => ({ rows: [{ state: 'idle', since: `moment ${looks++}` }] }) } as unknown as pg.Pool
  using _watch = watchConnection(connection, seen, log, everyMs)
  const answer = connection.client.query('select pg_sleep(0.3)')
  await until('it was looked at three times', () => looks >= 3)
  expect(connection.signal.aborted).toBe(false)
  await answer
})

test('a watch that cannot ask leaves the connection alone', async () => {
  await using connection = await connectRun(database.url, randomUUID(), log)
  const { lines, stream } = collectLines()
  const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' })
  using _watch = watchConnection(connection, nowhere, createLog({ level: 'debug', destination: stream }), everyMs)
  await until('it tried', () => lines.some((line) => line.includes('could not be looked at')))
  expect(connection.signal.aborted).toBe(false)
})

test('a connection is looked at every 5 s: not after 4,999 ms, but after 5,000 ms', async () => {
  await using connection = await connectRun(database.url, randomUUID(), log)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const looks = vi.spyOn(pool, 'query')
  onTestFinished(() => void vi.useRealTimers().restoreAllMocks())
  using _watch = watchConnection(connection, pool, log)
  vi.advanceTimersByTime(4_999)
  expect(looks).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(looks).toHaveBeenCalledTimes(1)
})
