import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { variables, type VariableName } from '../src/config-variables.ts'
import { ConfigError, describeConfig, loadEnvironment, readConfig, secretsOf, type Environment } from '../src/config.ts'
import { makeKey } from '../src/domain/access/key.ts'

const names = Object.keys(variables) as VariableName[]
const base64Key = randomBytes(32).toString('base64')
const olderKey = randomBytes(32).toString('base64')
const database = 'postgres://freshet:p4ss%20word@db.example:5432/freshet'

function problemsOf(env: Environment, forServer = false): ConfigError {
  try {
    readConfig(env, { forServer })
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('it was taken')
}
const read = (env: Environment) => readConfig(env, { forServer: false }).config

/** Of each variable: values that are taken, with what becomes of them, and values that are refused. */
const cases: Record<VariableName, { good: [string, unknown][]; bad: string[]; standard: unknown }> = {
  DATABASE_URL: {
    good: [
      [database, database],
      ['postgresql:///freshet?host=/run', 'postgresql:///freshet?host=/run'],
    ],
    bad: ['db.example', 'mysql://db.example/x', 'pg'],
    standard: undefined,
  },
  DATABASE_DIRECT_URL: {
    good: [[database, database]],
    bad: ['db.example:5432', 'http://db.example'],
    standard: undefined,
  },
  HOST: {
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['localhost', 'localhost'],
      ['api.shop.example', 'api.shop.example'],
    ],
    bad: ['http://localhost', '0.0.0.0:80', 'local host', '-x', 'a..b', '[::]'],
    standard: '127.0.0.1',
  },
  PORT: {
    good: [
      ['0', 0],
      ['65535', 65_535],
      [' 80 ', 80],
    ],
    bad: ['65536', '-1', '80.5', '0x50', 'http', '1e3'],
    standard: 4000,
  },
  FRESHET_ROLE: {
    good: [
      ['all', 'all'],
      ['api', 'api'],
      ['worker', 'worker'],
    ],
    bad: ['both', 'ALL'],
    standard: 'all',
  },
  FRESHET_DATA_DIR: { good: [['data', 'data']], bad: [], standard: '.freshet' },
  FRESHET_MIGRATE: {
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', '1', 'TRUE'],
    standard: true,
  },
  FRESHET_POOL_SIZE: {
    good: [
      ['2', 2],
      ['200', 200],
    ],
    bad: ['1', '201'],
    standard: 10,
  },
  FRESHET_SHUTDOWN_SECONDS: {
    good: [
      ['1', 1],
      ['600', 600],
    ],
    bad: ['0', '601'],
    standard: 25,
  },
  CREDENTIAL_ENCRYPTION_KEY_B64: {
    good: [[base64Key, base64Key]],
    bad: ['short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), `${base64Key}!`],
    standard: undefined,
  },
  CREDENTIAL_ENCRYPTION_OLD_KEY_B64: {
    good: [[olderKey, olderKey]],
    bad: ['short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), `${olderKey}!`],
    standard: undefined,
  },
  FRESHET_ADMIN_KEY: {
    good: [[`frs_${'a'.repeat(43)}`, `frs_${'a'.repeat(43)}`]],
    bad: ['password', `frs_${'a'.repeat(42)}`, `frs_${'a'.repeat(44)}`, 'a'.repeat(47), `frs_${'+'.repeat(43)}`],
    standard: undefined,
  },
  FRESHET_PUBLIC_READ: {
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['no'],
    standard: true,
  },
  FRESHET_ALLOWED_HOSTS: {
    good: [
      ['api.shop.example', ['api.shop.example']],
      [' api.shop.example , ::1, 192.0.2.1,', ['api.shop.example', '::1', '192.0.2.1']],
    ],
    bad: ['*', 'https://shop.example', 'shop.example:8080', 'shop.example/path', 'good.example,bad_name'],
    standard: [],
  },
  FRESHET_CORS_ORIGINS: {
    good: [
      ['https://a.example', ['https://a.example']],
      [' https://a.example , http://b.example:8080, ', ['https://a.example', 'http://b.example:8080']],
    ],
    bad: ['*', 'a.example', 'https://a.example/', 'https://a.example,https://b.example/path', 'ftp://a.example'],
    standard: [],
  },
  FRESHET_PROXY_HOPS: {
    good: [
      ['0', 0],
      ['10', 10],
    ],
    bad: ['11', '-1'],
    standard: 0,
  },
  FRESHET_INTROSPECTION: { good: [['false', false]], bad: ['off'], standard: true },
  FRESHET_MAX_DEPTH: {
    good: [
      ['1', 1],
      ['100', 100],
    ],
    bad: ['0', '101'],
    standard: 12,
  },
  FRESHET_MAX_ALIASES: {
    good: [
      ['0', 0],
      ['1000', 1000],
    ],
    bad: ['1001'],
    standard: 30,
  },
  FRESHET_MAX_TOKENS: {
    good: [
      ['100', 100],
      ['100000', 100_000],
    ],
    bad: ['99', '100001'],
    standard: 2000,
  },
  FRESHET_MAX_COST: {
    good: [
      ['10', 10],
      ['10000000', 10_000_000],
    ],
    bad: ['9', '10000001'],
    standard: 10_000,
  },
  FRESHET_MAX_BODY_BYTES: {
    good: [
      ['1000', 1000],
      ['100000000', 100_000_000],
    ],
    bad: ['999', '100000001', '1MB'],
    standard: 1_000_000,
  },
  FRESHET_REQUEST_SECONDS: {
    good: [
      ['1', 1],
      ['600', 600],
    ],
    bad: ['0', '601'],
    standard: 30,
  },
  FRESHET_FEEDS_PER_HOST: {
    good: [
      ['1', 1],
      ['100', 100],
    ],
    bad: ['0', '101', 'x'],
    standard: 2,
  },
  FRESHET_ALLOW_PRIVATE_NETWORK: { good: [['true', true]], bad: ['maybe'], standard: false },
  AFFILIATE_FEED_ALLOW_PLAIN_FTP: { good: [['true', true]], bad: ['ftp'], standard: false },
  FRESHET_USER_AGENT: {
    good: [
      ['Shop', 'Shop'],
      ['Shop/2.0 (+https://shop.example/bot)', 'Shop/2.0 (+https://shop.example/bot)'],
    ],
    bad: ['(no product)', '/1.0', 'Shop/1.0 (ü)', 'Shop/1.0 (a\r\nX-Header: b)'],
    standard: 'Freshet/0.1',
  },
  SLACK_WEBHOOK_URL: {
    good: [['https://hooks.example/T', 'https://hooks.example/T']],
    bad: ['hooks.other', 'ssh://x'],
    standard: undefined,
  },
  APIFY_TOKEN: { good: [['apify_api_x', 'apify_api_x']], bad: [], standard: undefined },
  FRESHET_PG_CRON: {
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['auto', '1'],
    standard: true,
  },
  FRESHET_AUDIT_KEEP_DAYS: {
    good: [
      ['0', 0],
      ['90', 90],
      ['36500', 36_500],
    ],
    bad: ['-1', '1', '89', '36501', 'never'],
    standard: 0,
  },
  SOFT_DELETE_WINDOW_HOURS: {
    good: [
      ['1', 1],
      ['8760', 8760],
    ],
    bad: ['0', '8761'],
    standard: 48,
  },
  LISTING_STALE_DAYS: {
    good: [
      ['1', 1],
      ['3650', 3650],
    ],
    bad: ['0', '3651'],
    standard: 7,
  },
  LOG_LEVEL: {
    good: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    bad: ['loud', 'INFO'],
    standard: 'info',
  },
  FRESHET_LLM_URL: {
    good: [['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1']],
    bad: ['localhost:11434'],
    standard: undefined,
  },
  FRESHET_LLM_MODEL: { good: [['small', 'small']], bad: [], standard: undefined },
  FRESHET_LLM_KEY: { good: [['k', 'k']], bad: [], standard: undefined },
}
const parse = (name: VariableName, value?: string) => variables[name].schema.safeParse(value).data
const alone = (name: VariableName, value: string): Environment =>
  name === 'DATABASE_DIRECT_URL' ? { DATABASE_URL: database, [name]: value } : { [name]: value }

test('every variable of the design is there', () => {
  const design =
    'DATABASE_URL DATABASE_DIRECT_URL HOST PORT FRESHET_ROLE FRESHET_DATA_DIR CREDENTIAL_ENCRYPTION_KEY_B64 AFFILIATE_FEED_ALLOW_PLAIN_FTP FRESHET_ALLOW_PRIVATE_NETWORK FRESHET_ADMIN_KEY SLACK_WEBHOOK_URL SOFT_DELETE_WINDOW_HOURS LISTING_STALE_DAYS APIFY_TOKEN LOG_LEVEL FRESHET_USER_AGENT FRESHET_MIGRATE FRESHET_SHUTDOWN_SECONDS FRESHET_LLM_URL FRESHET_LLM_MODEL FRESHET_LLM_KEY FRESHET_PUBLIC_READ'
  expect(design.split(' ').filter((name) => !Object.hasOwn(variables, name))).toEqual([])
})

test.each(names)('%s takes what it should, and has its default', (name) => {
  expect(parse(name)).toEqual(cases[name].standard)
  expect(() => read(alone(name, ''))).not.toThrow()
  for (const [given, becomes] of cases[name].good) {
    expect(() => read(alone(name, given))).not.toThrow()
    expect(parse(name, given.trim())).toEqual(becomes)
  }
})

test.each(names.flatMap((name) => cases[name].bad.map((value) => [name, value] as const)))(
  '%s refuses %j, with its name, what is wrong and an example',
  (name, value) => {
    const { problems, message } = problemsOf(alone(name, value))
    expect(problems).toEqual([
      { variable: name, message: expect.stringMatching(/^must .+\./) as string, example: variables[name].example },
    ])
    expect(message).toContain(`  ${name}: must`)
    expect(message).toContain(`Example: ${name}=${variables[name].example}`)
    expect(message.includes(value)).toBe(!variables[name].secret)
  },
)

test.each(names)('%s says what it is for, and its example is one', (name) => {
  const { about, example, schema } = variables[name]
  expect(about).toMatch(/^[A-Z].*\.$/)
  expect(example.includes('…') || schema.safeParse(example).success).toBe(true)
})

test('reports every problem at once', () => {
  const error = problemsOf({ PORT: 'x', LOG_LEVEL: 'y', FRESHET_MIGRATE: 'z', DATABASE_URL: 'nonsense' }, true)
  expect(error.problems.map(({ variable }) => variable)).toEqual([
    'DATABASE_URL',
    'PORT',
    'FRESHET_MIGRATE',
    'LOG_LEVEL',
    'CREDENTIAL_ENCRYPTION_KEY_B64',
  ])
  expect(error.message.split('\n')[0]).toBe('The configuration has 5 problems:')
  expect(error.code).toBe('BAD_CONFIGURATION')
})

test('says of one problem that it is one', () => {
  expect(problemsOf({ PORT: '1e3' }).message).toBe(
    'The configuration has a problem:\n  PORT: must be a whole number from 0 to 65535. It is "1e3". Example: PORT=4000',
  )
})

test('a server with a database of its own needs the credential key; other commands do not', () => {
  expect(problemsOf({ DATABASE_URL: database }, true).problems).toMatchObject([
    { variable: 'CREDENTIAL_ENCRYPTION_KEY_B64', message: expect.stringContaining('is required') as string },
  ])
  expect(read({ DATABASE_URL: database }).database.url).toBe(database)
  expect(readConfig({}).config.access.credentialKey).toBeUndefined()
  const { config } = readConfig({ DATABASE_URL: database, CREDENTIAL_ENCRYPTION_KEY_B64: base64Key })
  expect(config.access.credentialKey).toBe(base64Key)
})

test('a worker takes a free port where none is named; every other role has 4000', () => {
  const portOf = (env: Environment) => [
    read(env).http.port,
    describeConfig(env).find(({ name }) => name === 'PORT')?.value,
  ]
  expect(portOf({})).toEqual([4000, '4000'])
  expect(portOf({ FRESHET_ROLE: 'api', PORT: '' })).toEqual([4000, '4000'])
  expect(portOf({ FRESHET_ROLE: 'worker', PORT: ' ' })).toEqual([0, '0'])
  expect(portOf({ FRESHET_ROLE: 'worker', PORT: '4000' })).toEqual([4000, '4000'])
})

test('the example of a key is no command, and the message says to make it once and keep it', () => {
  const { message } = problemsOf({ DATABASE_URL: database }, true)
  expect(message).toContain('openssl rand -base64 32", keep it, and give the same to all processes.')
  expect(message).not.toContain('$(')
})

test('a way past the pooler needs a pooler', () => {
  expect(problemsOf({ DATABASE_DIRECT_URL: database }).problems).toMatchObject([
    { variable: 'DATABASE_URL', message: 'is required when DATABASE_DIRECT_URL is set.' },
  ])
  const direct = 'postgres://direct.example/freshet'
  expect(read({ DATABASE_URL: database }).database.directUrl).toBe(database)
  expect(read({ DATABASE_URL: database, DATABASE_DIRECT_URL: direct }).database).toMatchObject({
    url: database,
    directUrl: direct,
  })
})

test('every variable reaches the program', () => {
  const env: Environment = Object.fromEntries(names.map((name) => [name, cases[name].good[0]![0]]))
  expect(readConfig(env).config).toEqual({
    role: 'all',
    dataDir: 'data',
    logLevel: 'debug',
    shutdownSeconds: 1,
    database: { url: database, directUrl: database, migrate: true, pgCron: true, poolSize: 2 },
    http: {
      host: '0.0.0.0',
      port: 0,
      allowedHosts: ['api.shop.example'],
      corsOrigins: ['https://a.example'],
      proxyHops: 0,
      introspection: false,
      maxDepth: 1,
      maxAliases: 0,
      maxTokens: 100,
      maxCost: 10,
      maxBodyBytes: 1000,
      requestSeconds: 1,
    },
    access: {
      publicRead: true,
      adminKey: `frs_${'a'.repeat(43)}`,
      credentialKey: base64Key,
      olderCredentialKey: olderKey,
    },
    outside: {
      allowPlainFtp: true,
      allowPrivateNetwork: true,
      userAgent: 'Shop',
      slackWebhookUrl: 'https://hooks.example/T',
      apifyToken: 'apify_api_x',
      llm: { url: 'http://127.0.0.1:11434/v1', model: 'small', key: 'k' },
    },
    feeds: { runsPerHost: 1 },
    maintenance: { auditKeepDays: 0 },
    listings: { softDeleteWindowHours: 1, staleDays: 1 },
  })
})

const secrets = {
  DATABASE_URL: database,
  DATABASE_DIRECT_URL: 'postgres://u:direct-word@db.example/x?password=query-word',
  CREDENTIAL_ENCRYPTION_KEY_B64: base64Key,
  CREDENTIAL_ENCRYPTION_OLD_KEY_B64: olderKey,
  FRESHET_ADMIN_KEY: makeKey(),
  SLACK_WEBHOOK_URL: 'https://hooks.example/services/T0/B0/slack-word',
  APIFY_TOKEN: 'apify-word',
  FRESHET_LLM_KEY: 'llm-word',
}

test('the secrets are those marked so, trimmed, and passwords in any URL, as written and as meant', () => {
  expect(names.filter((name) => variables[name].secret).toSorted()).toEqual(Object.keys(secrets).toSorted())
  const found = secretsOf({
    ...secrets,
    APIFY_TOKEN: ' apify-word\n',
    FRESHET_LLM_URL: 'http://u:url-word@llm.example',
  })
  for (const secret of [...Object.values(secrets), 'p4ss%20word', 'p4ss word', 'direct-word', 'query-word', 'url-word'])
    expect(found).toContain(secret)
  expect(found).not.toContain('')
  expect(new Set(found).size).toBe(found.length)
})

test('a password with a lone % is a secret like any other', () => {
  expect(secretsOf({ DATABASE_URL: 'postgres://u:100%pure@db.example/x' })).toContain('100%pure')
})

test('no secret is echoed, not even in the problem of another variable', () => {
  const wrong: Environment = Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [name, ` ${value} wrong\n`]),
  )
  const swapped = {
    ...wrong,
    PORT: secrets.APIFY_TOKEN,
    LOG_LEVEL: secrets.FRESHET_ADMIN_KEY,
    APIFY_TOKEN: secrets.APIFY_TOKEN,
    FRESHET_ADMIN_KEY: secrets.FRESHET_ADMIN_KEY,
    FRESHET_LLM_URL: 'ftp://u:url-word@llm.example',
  }
  for (const env of [wrong, swapped]) {
    const { message } = problemsOf(env, true)
    const shown = message + JSON.stringify(describeConfig(env))
    for (const secret of [...Object.values(secrets), 'p4ss', 'direct-word', 'query-word', 'slack-word', 'url-word'])
      expect(shown).not.toContain(secret)
  }
})

test('describes every variable with its effective value, secrets masked', () => {
  const described = describeConfig({
    ...secrets,
    PORT: '80',
    LOG_LEVEL: 'loud',
    HOST: '',
    FRESHET_LLM_URL: 'http://u:url-word@llm.example/v1',
  })
  expect(described.map(({ name }) => name)).toEqual(names)
  const of = (name: string) => described.find((row) => row.name === name)
  expect(of('PORT')).toEqual({ name: 'PORT', value: '80', source: 'environment', about: variables.PORT.about })
  expect(of('HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' })
  expect(of('LOG_LEVEL')).toMatchObject({ value: '(invalid) loud', source: 'environment' })
  expect(of('FRESHET_LLM_URL')).toMatchObject({ value: 'http://u:********@llm.example/v1' })
  for (const name of Object.keys(secrets)) expect(of(name)).toMatchObject({ value: '********', source: 'environment' })
  expect(describeConfig({}).find(({ name }) => name === 'APIFY_TOKEN')).toMatchObject({ value: '', source: 'default' })
})

test.each([
  ['FRESHET_ROL', 'FRESHET_ROLE'],
  ['FRESHET_ADMINKEY', 'FRESHET_ADMIN_KEY'],
  ['FRESHET_MAX_BODY_SIZE', 'FRESHET_MAX_BODY_BYTES'],
  ['FRESHET_DATABASE_URL', 'DATABASE_URL'],
])('warns of %s and names the nearest variable, without its value', (name, nearest) => {
  const { warnings } = readConfig({ [name]: 'a-secret' })
  expect(warnings).toEqual([`${name} is not a variable that Freshet knows. Did you mean ${nearest}?`])
})

test('does not warn of variables that are its own, of the tests, or of others', () => {
  const { warnings } = readConfig({ FRESHET_ROLE: 'api', FRESHET_TEST_DATABASE_URL: 'x', PATH: '/bin', FRESH: '1' })
  expect(warnings).toEqual([])
})

test('reads .env of the folder, and the environment wins', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'freshet-env-'))
  try {
    expect(loadEnvironment(folder, { PORT: '1' })).toEqual({ PORT: '1' })
    await writeFile(join(folder, '.env'), '# a comment\nPORT=2\nHOST="0.0.0.0" # all\nLOG_LEVEL=debug\n')
    expect(loadEnvironment(folder, { PORT: '1', LOG_LEVEL: '' })).toEqual({ PORT: '1', HOST: '0.0.0.0', LOG_LEVEL: '' })
    expect(read(loadEnvironment(folder, { PORT: '1', LOG_LEVEL: '' }))).toMatchObject({
      logLevel: 'info',
      http: { port: 1, host: '0.0.0.0' },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('an unknown variable is named beside the problems, as it may be their cause', () => {
  expect(() => readConfig({ PORT: 'x', FRESHET_ROL: 'api' })).toThrow(
    /PORT: must be .*\n  FRESHET_ROL is not a variable that Freshet knows\. Did you mean FRESHET_ROLE\?$/,
  )
})
