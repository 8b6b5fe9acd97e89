import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { connectRun, takeRunLock } from '../../src/db/run-lock.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { collectLines } from '../support/lines.ts'
import { startRun } from '../support/runs.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool, url } = database
const { lines, stream } = collectLines()
const log = createLog({ level: 'warn', destination: stream })
const connect = (jobId: string = randomUUID()) => connectRun(url, jobId, log)

test('RULINGS 2: the connection of a run notices a dead client within seconds', async () => {
  await using connection = await connect()
  const { rows } = await connection.client.query(
    "select name, setting || coalesce(' ' || unit, '') as value from pg_settings where name like 'tcp\\_%' or name = 'client_connection_check_interval' order by name",
  )
  expect(rows).toEqual([
    { name: 'client_connection_check_interval', value: '5000 ms' },
    { name: 'tcp_keepalives_count', value: '2' },
    { name: 'tcp_keepalives_idle', value: '5 s' },
    { name: 'tcp_keepalives_interval', value: '5 s' },
    { name: 'tcp_user_timeout', value: '15000 ms' },
  ])
})

test('RULINGS 2: the client notices a dead server: it sends signs of life after 5 s', async () => {
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  onTestFinished(() => keepAlive.mockRestore())
  await using _connection = await connect()
  expect(keepAlive.mock.calls).toEqual([[true, 5_000]])
})

test('RULINGS 2: the connection is named after its job', async () => {
  const jobId = randomUUID()
  await using connection = await connect(jobId)
  const { rows } = await connection.client.query("select current_setting('application_name') as name")
  expect(rows).toEqual([{ name: `freshet:run:${jobId}` }])
})

test('a lock is taken by one of two connections, and by the other once the first is closed', async () => {
  const key = { lockClass: 4620, lockId: 1 }
  const first = await connect()
  await using second = await connect()
  expect(await takeRunLock(first, key)).toBe(true)
  expect(await takeRunLock(second, key)).toBe(false)
  expect(first.signal.aborted).toBe(false)
  await first[Symbol.asyncDispose]()
  expect(await takeRunLock(second, key)).toBe(true)
})

test('RULINGS 2: a lock of another class or another id is another lock', async () => {
  await using first = await connect()
  await using second = await connect()
  expect(await takeRunLock(first, { lockClass: 4620, lockId: 2 })).toBe(true)
  expect(await takeRunLock(second, { lockClass: 4621, lockId: 2 })).toBe(true)
  expect(await takeRunLock(second, { lockClass: 4620, lockId: 3 })).toBe(true)
})

test('RULINGS 2: only a holder that works for the same job is ended', async () => {
  const key = { lockClass: 4620, lockId: 4 }
  const jobId = randomUUID()
  await using stale = await connect(jobId)
  await using bystander = await connect(jobId) // the same job, without the lock
  await takeRunLock(stale, key)
  await using retry = await connect(jobId)
  expect(await takeRunLock(retry, key)).toBe(true)
  expect([stale.signal.aborted, bystander.signal.aborted]).toEqual([true, false])
})

test('a holder that nobody knows is left alone', async () => {
  const stranger = await pool.connect()
  await stranger.query('select pg_advisory_lock(4620, 5)')
  await using connection = await connect()
  expect(await takeRunLock(connection, { lockClass: 4620, lockId: 5 })).toBe(false)
  expect((await stranger.query('select 1 as alive')).rows).toEqual([{ alive: 1 }])
  stranger.release(true)
})

test('after a wait for the lock, statements of the run wait for other locks as before', async () => {
  const key = { lockClass: 4620, lockId: 6 }
  const jobId = randomUUID()
  await using stale = await connect(jobId)
  await takeRunLock(stale, key)
  await using retry = await connect(jobId)
  await takeRunLock(retry, key)
  expect((await retry.client.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
})

test('RULINGS 2: a retry that comes while the session of its last attempt is being closed waits for the lock', async () => {
  const key = { lockClass: 4620, lockId: 8 }
  for (let turn = 0; turn < 30; turn++) {
    const jobId = randomUUID()
    await using dying = await connect(jobId)
    await takeRunLock(dying, key)
    await using next = await connect(jobId)
    const { rows } = await dying.client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const lost = new Promise((resolve) => dying.signal.addEventListener('abort', resolve))
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await lost // the client hears of it before the server has let go
    expect(await takeRunLock(next, key)).toBe(true)
  }
})

test('RULINGS 2: an earlier attempt, and then its lock, is waited for 5 s each', async () => {
  const key = { lockClass: 4620, lockId: 9 }
  const jobId = randomUUID()
  await using stale = await connect(jobId)
  await takeRunLock(stale, key)
  await using retry = await connect(jobId)
  const asked = vi.spyOn(retry.client, 'query')
  await takeRunLock(retry, key)
  const given = asked.mock.calls.map(([text, values]) => [text, values] as unknown as [string, unknown[]])
  const valuesOf = (part: string) => given.filter(([text]) => text.includes(part)).map(([, values]) => values)
  expect(valuesOf('end_run_holder')).toEqual([[4620, 9, jobId, 5_000]])
  expect(valuesOf("set_config('lock_timeout', $1")).toEqual([['5000ms']])
})

test('a lock that does not become free in time is not taken', async () => {
  const key = { lockClass: 4620, lockId: 10 }
  const { id, jobId } = await startRun(pool, { lock: [4620, 10] })
  await using ending = await connect(jobId)
  await takeRunLock(ending, key)
  await pool.query('select freshet.finish_run($1, 1, now())', [id])
  await using next = await connect()
  expect(await takeRunLock(next, key, 20)).toBe(false)
  expect((await next.client.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
})

test('a lock is let go by hand: it is free although the server does not see the connection close', async () => {
  const connection = await connect()
  await takeRunLock(connection, { lockClass: 4620, lockId: 11 })
  const close = vi.spyOn(connection.client, 'end').mockResolvedValue()
  await connection[Symbol.asyncDispose]()
  const { rows } = await pool.query('select freshet.is_run_lock_held(4620, 11) as is_held')
  close.mockRestore()
  await connection.client.end()
  expect(rows).toEqual([{ is_held: false }])
})

test('who holds a lock is told from where the asker stands', async () => {
  const key = { lockClass: 4620, lockId: 7 }
  const { id, jobId } = await startRun(pool, { lock: [4620, 7] })
  const holderFor = async (asker: string) =>
    (await pool.query('select freshet.run_lock_holder(4620, 7, $1) as holder', [asker])).rows[0]
  expect(await holderFor(jobId)).toEqual({ holder: 'NOBODY' })
  await using connection = await connect(jobId)
  await takeRunLock(connection, key)
  expect(await holderFor(jobId)).toEqual({ holder: 'SAME_JOB' })
  expect(await holderFor(randomUUID())).toEqual({ holder: 'OTHER' })
  await connection.client.query('select freshet.finish_run($1, 1, now())', [id])
  expect(await holderFor(randomUUID())).toEqual({ holder: 'ENDING' })
})

test('whoever waits for a lock is not its holder', async () => {
  const key = { lockClass: 4620, lockId: 13 }
  const jobId = randomUUID()
  await using early = await connect() // and one that comes later: in which order sessions are listed is not ours to say
  await using holder = await connect(jobId)
  await using late = await connect()
  await takeRunLock(holder, key)
  const lock = 'select pg_advisory_lock($1::int, $2::int)'
  const waits = [early, late].map(({ client }) => client.query(lock, [key.lockClass, key.lockId]))
  const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
  await until('both wait', async () => (await pool.query(waiting)).rowCount === 2)
  const { rows } = await pool.query('select freshet.run_lock_holder(4620, 13, $1) as holder', [jobId])
  expect(rows).toEqual([{ holder: 'SAME_JOB' }])
  await holder.client.query('select pg_advisory_unlock($1::int, $2::int)', [key.lockClass, key.lockId])
  const first = await Promise.race(waits.map((wait, index) => wait.then(() => index)))
  const freed = [early, late][first]
  await freed?.client.query('select pg_advisory_unlock($1::int, $2::int)', [key.lockClass, key.lockId])
  await Promise.all(waits)
})

test('whoever holds the same lock in another database of the server is not the holder here', async () => {
  const key = { lockClass: 4620, lockId: 12 }
  await using elsewhere = await cloneDatabase()
  const stranger = await elsewhere.pool.connect() // before the other: sessions are listed in the order in which they came
  await stranger.query('select pg_advisory_lock($1::int, $2::int)', [key.lockClass, key.lockId])
  const jobId = randomUUID()
  const holder = async () =>
    (await pool.query('select freshet.run_lock_holder($1, $2, $3) as holder', [key.lockClass, key.lockId, jobId]))
      .rows[0]
  expect(await holder()).toEqual({ holder: 'NOBODY' })
  await using stale = await connect(jobId)
  await takeRunLock(stale, key)
  expect(await holder()).toEqual({ holder: 'SAME_JOB' })
  stranger.release(true)
})

test('a lost connection aborts its signal with a reason that names the cause and what happens next', async () => {
  await using connection = await connect()
  const { rows } = await connection.client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { promise: aborted, resolve } = Promise.withResolvers<unknown>()
  connection.signal.addEventListener('abort', () => resolve(connection.signal.reason))
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  expect(await aborted).toMatchObject({
    code: 'RUN_CONNECTION_LOST',
    message: 'The connection that the run writes on was lost: terminating connection due to administrator command',
    hint: expect.stringContaining('tried again from scratch') as string,
  })
  expect(lines.some((line) => line.includes('the connection of a run was lost'))).toBe(true)
})

test('closing a connection is no loss', async () => {
  const connection = await connect()
  await connection[Symbol.asyncDispose]()
  expect(connection.signal.aborted).toBe(false)
})

test('a database that does not answer is said so, and nothing is left open', async () => {
  const nowhere = new URL(url)
  nowhere.port = '1'
  await expect(connectRun(nowhere.href, randomUUID(), log)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
