import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findPostmaster } from '../../src/db/embedded/postmaster.ts'
import { cloneDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { aFolder, credentialKey, run, start } from './stand.ts'

const settings = (url: string) => ({
  DATABASE_URL: url,
  CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey,
  PORT: '0',
  FRESHET_PG_CRON: 'false',
})

test('the program answers until it is told to stop, then exits with 0', async () => {
  await using database = await cloneDatabase()
  await using program = start(['start', '--json'], settings(database.url))
  await program.said('"ready"')
  const { code, out, err } = await program.terminate()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.find((line) => 'ready' in line)).toEqual({
    ready: {
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      role: 'all',
      postgres: expect.stringContaining(new URL(database.url).pathname),
      schedules: "this process's own clock, every 5 s (pg_cron: FRESHET_PG_CRON is false)",
      firstKey: expect.stringMatching(/^frs_[\w-]{43}$/),
    },
  })
  expect(lines.at(-1)).toMatchObject({ msg: 'stopping', signal: 'SIGTERM' })
})

test('the program stops when whoever started it was killed: an older Node stands before it, and nobody else knows of it', async () => {
  await using database = await cloneDatabase()
  const ownNode = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
  const program = fileURLToPath(new URL('../../bin/freshet.js', import.meta.url))
  const env = { PATH: process.env.PATH, ...settings(database.url) }
  const child = spawn(ownNode, [program, 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  let said = ''
  child.stdout?.on('data', (part) => void (said += String(part)))
  const ended = once(child, 'exit')
  await until('it is ready', () => said.includes('"ready"'))
  child.disconnect() // as a parent's end does
  expect(await ended).toEqual([0, null])
})

test('--role overrides FRESHET_ROLE, and people are greeted', async () => {
  await using database = await cloneDatabase()
  const stop = new AbortController()
  const env = { ...settings(database.url), FRESHET_ROLE: 'all', LOG_LEVEL: 'silent' }
  const onOut = (all: string) => {
    if (all.includes('Freshet is ready.')) stop.abort('the test')
  }
  const { code, out, err } = await run(['start', '--role', 'worker'], { env, onOut, signal: stop.signal })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/Health {5}http:\/\/127\.0\.0\.1:\d+\/readyz\n/)
  expect(out).not.toContain('/graphql')
})

test('a port that is taken is named, and nothing is left running', async () => {
  await using database = await cloneDatabase()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const env = { ...settings(database.url), PORT: String(port), LOG_LEVEL: 'silent' }
  const { code, err } = await run(['start'], { env })
  other.close()
  expect({ code, err }).toEqual({
    code: 1,
    err: `error [PORT_IN_USE]: 127.0.0.1:${port} is taken by another program.\nhint: Perhaps it is another Freshet. Set PORT to another port; PORT=0 takes a free one.\n`,
  })
})

test.each(['all', 'worker'])(
  'a start as %s that cannot have its port drives no clock and works no job',
  async (role) => {
    await using database = await cloneDatabase()
    await database.pool.query("select freshet.enqueue('notify', '{}')")
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const env = { ...settings(database.url), PORT: String(port), LOG_LEVEL: 'silent' }
    const { code } = await run(['start', '--role', role], { env })
    other.close()
    expect(code).toBe(1)
    const { rows } = await database.pool.query('select driver, last_tick_at from freshet.clock')
    expect(rows).toEqual([{ driver: null, last_tick_at: null }])
    expect((await database.pool.query("select from pgboss.job where state <> 'created'")).rowCount).toBe(0)
  },
)

test('a start that fails when it drives the clock already lets it go', async () => {
  await using database = await cloneDatabase()
  await database.pool.query(
    "create function public.refuse() returns trigger language plpgsql as $$ begin raise 'no key today'; end $$",
  )
  await database.pool.query(
    'create trigger refuse before insert on freshet.api_keys for each row execute function public.refuse()',
  )
  const { code, err } = await run(['start'], { env: { ...settings(database.url), LOG_LEVEL: 'silent' } })
  expect(code).toBe(1)
  expect(err).toContain('no key today')
  const { rows } = await database.pool.query(
    'select driver, lease_until <= clock_timestamp() as "isFree" from freshet.clock',
  )
  expect(rows).toEqual([{ driver: expect.stringMatching(/^worker /), isFree: true }])
})

test('an api and a worker start side by side without a port, and both say who drives', async () => {
  await using database = await cloneDatabase()
  const { PORT: _none, ...env } = settings(database.url)
  await using first = start(['start', '--role', 'worker', '--json'], env)
  await first.said('"ready"')
  await using second = start(['start', '--role', 'worker', '--json'], env)
  await using api = start(['start', '--role', 'api', '--json'], { ...env, PORT: '0' })
  const driverIn = async (program: typeof api) => ((await program.ready()) as { schedules?: string }).schedules
  const { rows } = await database.pool.query<{ driver: string }>('select driver from freshet.clock')
  const other = `${rows[0]?.driver}, every 5 s (pg_cron: FRESHET_PG_CRON is false)`
  expect(await driverIn(first)).toBe("this process's own clock, every 5 s (pg_cron: FRESHET_PG_CRON is false)")
  expect([await driverIn(second), await driverIn(api)]).toEqual([other, other])
})

test('a first start that fails leaves no key behind: the next one makes it and shows it', async () => {
  await using database = await cloneDatabase()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const env = { ...settings(database.url), LOG_LEVEL: 'silent' }
  const failed = await run(['start'], { env: { ...env, PORT: String(port) } })
  other.close()
  expect({ code: failed.code, out: failed.out }).toEqual({ code: 1, out: '' })
  expect((await database.pool.query('select from freshet.api_keys')).rowCount).toBe(0)

  const stop = new AbortController()
  const onOut = (all: string) => {
    if (all.includes('Freshet is ready.')) stop.abort('the test')
  }
  const { code, out } = await run(['start'], { env, onOut, signal: stop.signal })
  expect(code).toBe(0)
  expect(out).toMatch(/Admin key {2}frs_[\w-]{43}\n/)
})

test('an embedded Postgres that is killed comes back under the running server', { timeout: 120_000 }, async () => {
  await using folder = await aFolder()
  await using program = start(['start', '--json'], { FRESHET_DATA_DIR: folder.dir, PORT: '0' })
  const { url } = await program.ready()
  const data = join(folder.dir, 'postgres', 'data')
  const before = await findPostmaster(data)
  process.kill(before!.pid, 'SIGKILL')
  const isBack = async () => {
    const now = await findPostmaster(data)
    return now?.status === 'ready' && now.pid !== before!.pid
  }
  await until('another Postgres is ready', isBack, 30_000) // it recovers first, and waits for the disk
  await until('requests can be answered', async () => (await fetch(`${url}/readyz`)).status === 200)
  expect((await program.terminate()).code).toBe(0)
  expect(await findPostmaster(data)).toBeUndefined()
})

test('the credential key is asked for where the database is not embedded', async () => {
  const { code, err } = await run(['start'], { env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' } })
  expect(code).toBe(2)
  expect(err).toContain('CREDENTIAL_ENCRYPTION_KEY_B64: is required when DATABASE_URL is set.')
})

/** A program with a request that waits for a lock: a stop waits for it, too. */
async function startWithRequest(database: TestDatabase) {
  const program = start(['start', '--json'], settings(database.url))
  await program.said('"ready"')
  const holder = await database.pool.connect()
  await holder.query('begin; lock table freshet.retailers in access exclusive mode')
  const asked = fetch(`${program.address()}/graphql?query={retailers{totalCount}}`).then(
    () => 'answered',
    () => 'cut',
  )
  await until('the request waits', async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_locks where not granted and relation = 'freshet.retailers'::regclass",
    )
    return rowCount === 1
  })
  const release = async () => {
    await holder.query('rollback')
    holder.release()
  }
  return { program, asked, release, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

test('a second signal ends the program at once, whatever is still at work', async () => {
  await using database = await cloneDatabase()
  await using waiting = await startWithRequest(database)
  const { program, asked } = waiting
  void program.terminate()
  await program.said('"stopping"')
  const { code } = await program.terminate()
  expect(code).not.toBe(0)
  expect(await asked).toBe('cut')
  await waiting.release()
})

test.each(['interrupt', 'hangUp'] as const)(
  'a terminal that is closed after %s changes nothing: the program stops in good order',
  async (first) => {
    await using database = await cloneDatabase()
    await using waiting = await startWithRequest(database)
    const { program, asked } = waiting
    void program[first]()
    await program.said('"stopping"')
    const ended = program.hangUp()
    void program.hangUp()
    await waiting.release()
    expect(await asked).toBe('answered')
    expect(await ended).toMatchObject({ code: 0, err: '' })
  },
)

test.runIf(process.platform === 'linux').each(['start', 'demo', 'keys list'])(
  '%s names a data directory that cannot be made, at once',
  async (command) => {
    await using program = start(command.split(' '), { FRESHET_DATA_DIR: '/proc/x', PORT: '0', LOG_LEVEL: 'silent' })
    const { code, err } = await program.ended
    expect(code).toBe(1)
    expect(err).toMatch(
      /^error \[DATA_DIR_UNUSABLE\]: The data directory \/proc\/x cannot be used:\n.*\nhint: Point FRESHET_DATA_DIR/,
    )
  },
)
