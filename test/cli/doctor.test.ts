import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { judgeVersion } from '../../src/cli/doctor/database.ts'
import { judgePgCron } from '../../src/cli/doctor/pg-cron.ts'
import { checkDataDirectory, judgeSpace } from '../../src/cli/doctor/data-directory.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/db/embedded/port.ts'
import { raise } from '../support/alerts.ts'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'
import { aFolder, credentialKey, run, runJson } from './stand.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())
const good = { DATABASE_URL: database.url, CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey }

beforeEach(async () => {
  await database.pool.query("update freshet.clock set driver = 'worker a:1', last_tick_at = clock_timestamp()")
  await database.pool.query('update pgboss.queue set monitor_on = clock_timestamp()')
})

async function examine(env: Record<string, string>, now?: () => Date) {
  const { code, answer } = await runJson(['doctor'], { env, ...(now ? { now } : {}) })
  const find = (check: string) => answer.checks.filter((finding: Finding) => finding.check === check)
  return { code, answer, find }
}

test('finds nothing wrong with a good installation', async () => {
  const { code, answer } = await examine(good)
  expect(code).toBe(0)
  expect(answer.ok).toBe(true)
  expect(answer.checks.map(({ check, verdict }: Finding) => [check, verdict])).toEqual(
    [
      'configuration',
      'database',
      'migrations',
      'queue',
      'rights',
      'pg_cron',
      'clock skew',
      'schedules',
      'workers',
      'dead letters',
      'alerts',
    ].map((check) => [check, 'ok']),
  )
})

test('writes a line for each check, what to do below it, and the sum', async () => {
  const { code, out, err } = await run(['doctor'], { env: { ...good, FRESHET_ROL: 'api' } })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(
    /^warn  configuration: FRESHET_ROL is not .*\n      → Correct the name or remove the variable\.\nok    database: Postgres 1\d/,
  )
  expect(out).toMatch(/\nok    migrations: up to date\n/)
  expect(out).toMatch(/\n\nno failures, 1 warning\.\n$/)
})

test('a database that cannot be reached is the only failure, and the password is not told', async () => {
  const port = await freePort()
  const password = 'the-password-of-the-test'
  const env = { ...good, DATABASE_URL: `postgres://freshet:${password}@127.0.0.1:${port}/freshet` }
  const { code, answer } = await examine(env)
  expect(code).toBe(1)
  expect(answer.ok).toBe(false)
  expect(answer.checks.slice(1)).toEqual([
    {
      check: 'database',
      verdict: 'fail',
      message: `Postgres at 127.0.0.1:${port} cannot be reached: nothing listens there.`,
      advice: 'Start Postgres there or correct DATABASE_URL; without one Freshet brings its own.',
    },
  ])
  expect(JSON.stringify(answer)).not.toContain(password)
})

test('bad configuration is the first failure, and the last', async () => {
  const { code, answer } = await examine({ ...good, PORT: 'x' })
  expect(code).toBe(1)
  expect(answer.checks).toEqual([
    {
      check: 'configuration',
      verdict: 'fail',
      message: 'PORT must be a whole number from 0 to 65535. It is "x".',
      advice: 'Set it as in PORT=4000',
    },
  ])
})

test('what "start" would refuse fails, and the rest is looked at even so', async () => {
  const { code, find } = await examine({ DATABASE_URL: database.url })
  expect(code).toBe(1)
  expect(find('configuration')).toMatchObject([
    {
      verdict: 'fail',
      message: expect.stringContaining('CREDENTIAL_ENCRYPTION_KEY_B64 is required when DATABASE_URL is set.'),
    },
  ])
  expect(find('migrations')).toMatchObject([{ verdict: 'ok' }])
})

test('pending migrations fail, with what would run and what to do', async () => {
  await using empty = await createEmptyDatabase()
  const { code, find } = await examine({ ...good, DATABASE_URL: empty.url })
  expect(code).toBe(1)
  const [migrations] = find('migrations')
  expect(migrations.verdict).toBe('fail')
  expect(migrations.message).toMatch(
    /^\d+ pending:\n {2}install queue \d+\n {2}run migrations\/0001_[^]*\n {2}and \d+ more$/,
  )
  expect(migrations.advice).toContain('Run "freshet migrate"')
  expect(find('queue')).toMatchObject([
    { verdict: 'warn', message: expect.stringMatching(/^not installed, this program needs \d+$/) },
  ])
  expect(find('schedules')).toEqual([])
})

test('a database of a newer program fails', async () => {
  await using newer = await cloneDatabase()
  await newer.pool.query("insert into freshet.migrations (name, run_on) values ('9999_later', now())")
  const { code, find } = await examine({ ...good, DATABASE_URL: newer.url })
  expect(code).toBe(1)
  expect(find('migrations')).toMatchObject([{ verdict: 'fail', message: expect.stringContaining('9999_later') }])
})

/** A role that may log in and nothing else. */
async function aRole() {
  const name = `freshet_test_${Math.random().toString(36).slice(2, 10)}`
  await database.pool.query(`create role ${name} login password 'of-the-test'`)
  const url = new URL(database.url)
  url.username = name
  url.password = 'of-the-test'
  return {
    name,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await database.pool.query(`drop owned by ${name}`)
      await database.pool.query(`drop role ${name}`)
    },
  }
}

test('the runtime role has its rights without DDL, lacks them where it is to migrate, and each one that was taken is named', async () => {
  await using role = await aRole()
  await database.pool.query('select freshet.grant_runtime($1)', [role.name])
  const env = { ...good, DATABASE_URL: role.url }
  const runtime = await examine({ ...env, FRESHET_MIGRATE: 'false' })
  expect(runtime.code).toBe(0)
  expect(runtime.find('rights')).toEqual([
    { check: 'rights', verdict: 'ok', message: `the role ${role.name} may read and write rows`, advice: null },
  ])

  const migrating = await examine(env)
  expect(migrating.code).toBe(1)
  const [lacks] = migrating.find('rights')
  expect(lacks.verdict).toBe('fail')
  expect(lacks.message).toMatch(
    /lacks create on database \S+, ownership of schema freshet, ownership of schema pgboss, .* more$/,
  )
  expect(lacks.advice).toContain('set FRESHET_MIGRATE=false')

  await database.pool.query(`revoke insert on freshet.sources from ${role.name}`)
  const less = await examine({ ...env, FRESHET_MIGRATE: 'false' })
  expect(less.code).toBe(1)
  expect(less.find('rights')).toEqual([
    {
      check: 'rights',
      verdict: 'fail',
      message: `the role ${role.name} lacks insert on freshet.sources`,
      advice: `Let the role that migrates run: select freshet.grant_runtime('${role.name}')`,
    },
  ])
})

test.each([
  [1_900, 'ok', /^this machine and the database agree within (1\.[89]|2\.0) s$/],
  [5_000, 'warn', /^this machine is (4\.9|5\.[01]) s ahead of the database$/],
  [-5_000, 'warn', /^this machine is (4\.9|5\.[01]) s behind the database$/],
])('a clock that is %i ms off is %s', async (offMs, verdict, message) => {
  const { code, find } = await examine(good, () => new Date(Date.now() + offMs))
  expect(code).toBe(0)
  expect(find('clock skew')).toMatchObject([{ verdict, message: expect.stringMatching(message) }])
})

test.each([
  [
    "driver = 'worker a:1', last_tick_at = clock_timestamp() - interval '30 s'",
    'ok',
    /^driven by worker a:1, last tick 3[01] s ago$/,
  ],
  [
    "driver = 'worker a:1', last_tick_at = clock_timestamp() - interval '5 min'",
    'fail',
    /^the last tick was 5 min ago, by worker a:1$/,
  ],
  ['driver = null, last_tick_at = null', 'warn', /^nobody has driven them yet$/],
])('schedules with %s are %s', async (set, verdict, message) => {
  await database.pool.query(`update freshet.clock set ${set}`)
  const { code, find } = await examine(good)
  expect(code).toBe(verdict === 'fail' ? 1 : 0)
  expect(find('schedules')).toMatchObject([{ verdict, message: expect.stringMatching(message) }])
})

test.each([
  [160, 'warn', 0],
  [170, 'fail', 1],
])('schedules that nobody drives, %i s after the deploy, are %s', async (seconds, verdict, exit) => {
  await database.pool.query('update freshet.clock set driver = null, last_tick_at = null')
  await database.pool.query('update freshet.applied_sql set applied_at = now() - make_interval(secs => $1)', [seconds])
  const { code, find } = await examine(good)
  expect(code).toBe(exit)
  expect(find('schedules')).toMatchObject([{ verdict, message: 'nobody has driven them yet' }])
})

test('an open alert of P1 fails, one of P2 warns, one of P3 is not told', async () => {
  await using alerting = await cloneDatabase()
  await alerting.pool.query('update freshet.clock set driver = $1, last_tick_at = clock_timestamp()', ['worker a:1'])
  const env = { ...good, DATABASE_URL: alerting.url }
  await raise(alerting.pool, { severity: 'P3', key: 'c' })
  expect((await examine(env)).find('alerts')).toMatchObject([{ verdict: 'ok', message: 'none of P1 or P2 is open' }])
  await raise(alerting.pool, { severity: 'P2', key: 'b', kind: 'RUN_REAPED', subject: 'run 7' })
  const warned = await examine(env)
  expect(warned.code).toBe(0)
  expect(warned.find('alerts')).toMatchObject([
    { verdict: 'warn', message: '1 open of severity P2:\n  RUN_REAPED (run 7): It failed.' },
  ])
  await raise(alerting.pool, { severity: 'P1', key: 'a' })
  const failing = await examine(env)
  expect(failing.code).toBe(1)
  expect(failing.find('alerts').map(({ verdict }: Finding) => verdict)).toEqual(['fail', 'warn'])
})

test('the example in an advice is shown as it is, although it has a password', async () => {
  const { find } = await examine({ DATABASE_URL: 'mysql://u:of-the-test@db' })
  expect(find('configuration')).toMatchObject([
    { advice: 'Set it as in DATABASE_URL=postgres://freshet:password@127.0.0.1:5432/freshet' },
  ])
  expect(JSON.stringify(find('configuration'))).not.toContain('of-the-test')
})

test('a pooler that does not answer fails although the direct way does', async () => {
  const port = await freePort()
  const env = { ...good, DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`, DATABASE_DIRECT_URL: database.url }
  const { code, find } = await examine(env)
  expect(code).toBe(1)
  expect(find('pooler')).toMatchObject([{ verdict: 'fail', message: expect.stringContaining(`127.0.0.1:${port}`) }])
  expect(find('migrations')).toMatchObject([{ verdict: 'ok' }])
})

test.each([
  ['14.9', 140_009, 'fail'],
  ['15.0', 150_000, 'ok'],
  ['18.4', 180_004, 'ok'],
  ['19beta1', 190_000, 'warn'],
])('Postgres %s is judged by %i: %s', (version, number, verdict) => {
  expect(judgeVersion(version, number, 'here').verdict).toBe(verdict)
})

const job = {
  isActive: true,
  schedule: '* * * * *',
  command: 'select freshet.tick()',
  database: 'app',
  status: 'succeeded',
  message: null,
}
test.each([
  [
    { reason: 'this server does not have the extension' },
    'ok',
    'not used (this server does not have the extension): a worker drives the schedules',
  ],
  [{ home: 'postgres' }, 'warn', 'it lives in the database postgres, without a job for this one'],
  [{ home: 'app', job }, 'ok', 'it calls the clock every minute, from the database app'],
  [{ home: 'app', job: { ...job, status: null } }, 'ok', 'it calls the clock every minute, from the database app'],
  [{ home: 'app', job: { ...job, isActive: false } }, 'warn', 'its job in the database app is switched off'],
  [
    { home: 'app', job: { ...job, status: 'failed', message: 'connection failed' } },
    'warn',
    'its last call failed: connection failed',
  ],
])('pg_cron as %j is %s', (found, verdict, message) => {
  expect(judgePgCron(found)).toMatchObject({ check: 'pg_cron', verdict, message })
})

test.each([
  [99_999_999, 'fail'],
  [100_000_000, 'warn'],
  [999_999_999, 'warn'],
  [1_000_000_000, 'ok'],
])('%i free bytes are %s', (bytes, verdict) => {
  expect(judgeSpace(bytes).verdict).toBe(verdict)
})

test.each([
  ['not there', undefined, 0o600, 'warn'],
  ['too short', 'c2hvcnQ=\n', 0o600, 'fail'],
  ['open to others', `${credentialKey}\n`, 0o640, 'warn'],
  ['as it should be', `${credentialKey}\n`, 0o600, 'ok'],
])('a credential key that is %s', async (_how, text, mode, verdict) => {
  await using folder = await aFolder()
  const file = join(folder.dir, 'credential-key')
  if (text) {
    await writeFile(file, text)
    await chmod(file, mode)
  }
  const findings = await checkDataDirectory(readConfig({ FRESHET_DATA_DIR: folder.dir }).config)
  expect(findings.map(({ check, verdict: found }) => [check, found])).toEqual([
    ['data directory', 'ok'],
    ['disk', expect.any(String)],
    ['credential key', verdict],
  ])
})

test('a data directory that is a file fails, one that is not there yet will be made', async () => {
  await using folder = await aFolder({ taken: '' })
  const check = async (name: string) =>
    (await checkDataDirectory(readConfig({ FRESHET_DATA_DIR: join(folder.dir, name) }).config))[0]
  expect(await check('taken')).toMatchObject({ verdict: 'fail' })
  expect(await check('new/deep')).toEqual({
    check: 'data directory',
    verdict: 'ok',
    message: `${join(folder.dir, 'new/deep')} will be made`,
  })
  await mkdir(join(folder.dir, 'made'))
  expect(await check('made')).toMatchObject({ verdict: 'ok', message: `${join(folder.dir, 'made')} is writable` })
})
