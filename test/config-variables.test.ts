import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { variables, type VariableName } from '../src/config-variables.ts'
import { readConfig, type Environment } from '../src/config.ts'
import { configOf, configProblems } from './support/config.ts'

const names = Object.keys(variables) as VariableName[]
const base64Key = randomBytes(32).toString('base64')
const olderKey = randomBytes(32).toString('base64')
const database = 'postgres://freshet:p4ss%20word@db.example:5432/freshet'

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
  expect(() => configOf(alone(name, ''))).not.toThrow()
  for (const [given, becomes] of cases[name].good) {
    expect(() => configOf(alone(name, given))).not.toThrow()
    expect(parse(name, given.trim())).toEqual(becomes)
  }
})

test.each(names.flatMap((name) => cases[name].bad.map((value) => [name, value] as const)))(
  '%s refuses %j, with its name, what is wrong and an example',
  (name, value) => {
    const { problems, message } = configProblems(alone(name, value))
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
