import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { variables, type VariableName } from '../src/config-variables.ts'
import { describeConfig, loadEnvironment, readConfig, secretsOf, type Environment } from '../src/config.ts'
import { makeKey } from '../src/domain/access/key.ts'
import { configOf, configProblems } from './support/config.ts'

const names = Object.keys(variables) as VariableName[]
const base64Key = randomBytes(32).toString('base64')
const olderKey = randomBytes(32).toString('base64')
const database = 'postgres://freshet:p4ss%20word@db.example:5432/freshet'

test('reports every problem at once', () => {
  const error = configProblems({ PORT: 'x', LOG_LEVEL: 'y', FRESHET_MIGRATE: 'z', DATABASE_URL: 'nonsense' }, true)
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
  expect(configProblems({ PORT: '1e3' }).message).toBe(
    'The configuration has a problem:\n  PORT: must be a whole number from 0 to 65535. It is "1e3". Example: PORT=4000',
  )
})

test('a server with a database of its own needs the credential key; other commands do not', () => {
  expect(configProblems({ DATABASE_URL: database }, true).problems).toMatchObject([
    { variable: 'CREDENTIAL_ENCRYPTION_KEY_B64', message: expect.stringContaining('is required') as string },
  ])
  expect(configOf({ DATABASE_URL: database }).database.url).toBe(database)
  expect(readConfig({}).config.access.credentialKey).toBeUndefined()
  const { config } = readConfig({ DATABASE_URL: database, CREDENTIAL_ENCRYPTION_KEY_B64: base64Key })
  expect(config.access.credentialKey).toBe(base64Key)
})

test('a worker takes a free port where none is named; every other role has 4000', () => {
  const portOf = (env: Environment) => [
    configOf(env).http.port,
    describeConfig(env).find(({ name }) => name === 'PORT')?.value,
  ]
  expect(portOf({})).toEqual([4000, '4000'])
  expect(portOf({ FRESHET_ROLE: 'api', PORT: '' })).toEqual([4000, '4000'])
  expect(portOf({ FRESHET_ROLE: 'worker', PORT: ' ' })).toEqual([0, '0'])
  expect(portOf({ FRESHET_ROLE: 'worker', PORT: '4000' })).toEqual([4000, '4000'])
})

test('the example of a key is no command, and the message says to make it once and keep it', () => {
  const { message } = configProblems({ DATABASE_URL: database }, true)
  expect(message).toContain('openssl rand -base64 32", keep it, and give the same to all processes.')
  expect(message).not.toContain('$(')
})

test('a way past the pooler needs a pooler', () => {
  expect(configProblems({ DATABASE_DIRECT_URL: database }).problems).toMatchObject([
    { variable: 'DATABASE_URL', message: 'is required when DATABASE_DIRECT_URL is set.' },
  ])
  const direct = 'postgres://direct.example/freshet'
  expect(configOf({ DATABASE_URL: database }).database.directUrl).toBe(database)
  expect(configOf({ DATABASE_URL: database, DATABASE_DIRECT_URL: direct }).database).toMatchObject({
    url: database,
    directUrl: direct,
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
    const { message } = configProblems(env, true)
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
    expect(configOf(loadEnvironment(folder, { PORT: '1', LOG_LEVEL: '' }))).toMatchObject({
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
