import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig, secretsOf } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import { makeKey } from '../../src/domain/access/key.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { collectLines } from '../support/lines.ts'
import { cutOff } from './cut-off.ts'
import { sendRaw } from './raw.ts'

const adminKey = makeKey()
const encryptionKey = randomBytes(32).toString('base64')
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const env = {
  PORT: '0',
  FRESHET_ROLE: 'api',
  FRESHET_ADMIN_KEY: adminKey,
  CREDENTIAL_ENCRYPTION_KEY_B64: encryptionKey,
  DATABASE_URL: database.url,
}
const { lines, stream } = collectLines()
const { config } = readConfig(env)
const app = await startApp({
  config,
  database: await openDatabase(config),
  log: createLog({ level: 'trace', secrets: secretsOf(env), destination: stream }),
})
afterAll(() => app[Symbol.asyncDispose]())

const databasePassword = new URL(database.url).password
const operateKey = await createKey()
const wrongKey = makeKey()
/** A key that is also a name in GraphQL, so that it can be pasted anywhere. */
const plainKey = `frs_${randomBytes(40)
  .toString('base64')
  .replace(/[^A-Za-z0-9]/g, 'x')
  .slice(0, 43)}`
const keys = [adminKey, operateKey, wrongKey, plainKey]
const secrets = [...keys, encryptionKey, databasePassword]

async function createKey(): Promise<string> {
  const answer = await ask(adminKey, 'mutation { createApiKey(input: { name: "o", scopes: [OPERATE] }) { key } }')
  return (JSON.parse(answer) as { data: { createApiKey: { key: string } } }).data.createApiKey.key
}

async function ask(key: string, query: string, variables: object = {}): Promise<string> {
  return (await post({ query, variables }, { authorization: `Bearer ${key}` })).text()
}

function post(body: object, headers: Record<string, string> = {}) {
  return fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const refusals: string[] = []
/** Sends a request, and keeps what the answer says about errors. */
async function send(body: object, { key, headers = {} }: { key?: string; headers?: Record<string, string> } = {}) {
  const text = await (await post(body, { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers })).text()
  const { errors } = JSON.parse(text) as { errors?: unknown }
  if (errors) refusals.push(JSON.stringify(errors))
}
const createRetailer =
  'mutation ($name: String!, $w: String) { createRetailer(input: { name: $name, website: $w }) { id } }'

test('keys and passwords are used rightly and wrongly, everywhere', async () => {
  expect(databasePassword.length).toBeGreaterThan(10)
  for (const secret of secrets) {
    const encoded = encodeURIComponent(secret)
    await send({ query: '{ __typename }' }, { key: secret })
    for (const authorization of [secret, `Basic ${Buffer.from(`:${secret}`).toString('base64')}`, `Bearer ${secret} x`])
      await send({ query: '{ __typename }' }, { headers: { authorization, 'x-forwarded-for': '192.0.2.1' } })
    await send(
      { query: '{ __typename }' },
      {
        headers: {
          'x-request-id': secret,
          'x-api-key': secret,
          cookie: `key=${secret}`,
          referer: `https://x.example/${secret}`,
          'user-agent': secret,
          origin: `https://${secret}`,
        },
      },
    )
    await send({ query: createRetailer, variables: { name: secret } }, { key: operateKey })
    await send({ query: createRetailer, variables: { name: secret } }, { key: operateKey }) // exists already
    await send(
      { query: createRetailer, variables: { name: secret, w: `https://u:${secret}@x.example` } },
      { key: operateKey },
    )
    await send({ query: createRetailer, variables: { [secret]: secret, name: [secret] } }, { key: operateKey })
    await send({ query: '{ __typename }', operationName: secret })
    await send({ query: '{ __typename }', [secret]: secret })
    await fetch(`${app.url}/graphql?query={__typename}&key=${encoded}&variables=${encoded}`)
    await fetch(`${app.url}/${encoded}`)
    await sendRaw(app.url, `GET /${encoded} HTTP/1.1\r\nhost: ${encoded}\r\nconnection: close\r\n\r\n`)
    await sendRaw(app.url, `${secret}\r\n\r\n`)
  }
  for (const key of keys) {
    await send({ query: `{ retailer(id: "${key}") { id } }` })
    await send({ query: `{ sources(first: 1, after: "${key}") { totalCount } }` }, { key: operateKey })
    await send({ query: createRetailer, variables: { name: 'x', w: key } }, { key: operateKey })
    await send({ query: `{ retailers(orderBy: "${key}") { totalCount } }` })
    await send({
      query: 'query ($o: RetailerOrderBy) { retailers(orderBy: $o) { totalCount } }',
      variables: { o: key },
    })
  }
  await send({ query: `{ ${plainKey} }` })
  await send({ query: `query ${plainKey} { __typename }` })
  await send({ query: `query ($${plainKey}: Int!) { retailers(first: $${plainKey}) { totalCount } }` })
  await send({ query: `{ retailers(${plainKey}: 1) { totalCount } }` })
})

test('requests fail for reasons of ours while they carry keys', async () => {
  await database.pool.query('alter table freshet.retailers rename to retailers_away')
  for (const key of keys) await send({ query: createRetailer, variables: { name: key } }, { key: operateKey })
  await database.pool.query('alter table freshet.retailers_away rename to retailers')
  await database.pool.query(
    "alter table freshet.retailers add constraint nobody check (name <> '' and false) not valid",
  )
  for (const key of keys)
    await send({ query: createRetailer, variables: { name: `again ${key}` } }, { key: operateKey })
  await database.pool.query('alter table freshet.retailers drop constraint nobody')
  const open = await cutOff(database.url)
  for (const key of keys) await send({ query: createRetailer, variables: { name: key } }, { key })
  refusals.push(await (await fetch(`${app.url}/readyz`)).text())
  await open()
})

test('S14: none of it is in the log', () => {
  expect(lines.length).toBeGreaterThan(100)
  expect(lines.some((line) => line.includes('"level":"error"'))).toBe(true)
  for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([])
})

test('S14: none of it is in the metrics', async () => {
  const metrics = await (await fetch(`${app.url}/metrics`)).text()
  for (const secret of secrets) expect(metrics).not.toContain(secret)
})

test('S14: no key is in an answer that tells of an error', () => {
  expect(refusals.length).toBeGreaterThan(80)
  for (const key of keys) expect(refusals.filter((text) => text.includes(key))).toEqual([])
})

test('S14: no key is in what was noted about the making of keys, nor as the id of a request', async () => {
  const text = await ask(adminKey, '{ auditLog(filter: { action: "CREATE_API_KEY" }) { nodes { changes actor } } }')
  expect(text).toContain('"prefix":{"to":"frs_')
  for (const key of [adminKey, operateKey]) expect(text).not.toContain(key.slice(12))
  const { rows } = await database.pool.query("select from freshet.audit_log where request_id like '%frs_%'")
  expect(rows).toEqual([])
})
