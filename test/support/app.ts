import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { print, type GraphQLSchema } from 'graphql'
import { startApp } from '../../src/app.ts'
import { readConfig, type Environment } from '../../src/config.ts'
import type { Scope } from '../../src/domain/access/actor.ts'
import { makeKey, digestKey } from '../../src/domain/access/key.ts'
import type { Job } from '../../src/jobs/kit.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase, type TestDatabase } from './database.ts'
import { collectLines } from './lines.ts'

export type Answer<Data = Record<string, never>> = { data: Data | null; errors?: AnswerError[] }
export type AnswerError = {
  message: string
  path?: string[]
  extensions: {
    code: string
    field?: string
    hint?: string
    requestId?: string
    problems?: { field: string; message: string }[]
  }
}
/** What credentials are encrypted with in tests. */
export const credentialKey = Buffer.alloc(32, 7).toString('base64')

type Ask = { key?: string; headers?: Record<string, string> }

/** A whole server, on a database of its own if none is given, and the ways a test talks to it. */
export async function startTestApp({
  env = {},
  schema,
  database: given,
  directUrl,
  ...options
}: {
  env?: Environment
  schema?: GraphQLSchema
  now?: () => Date
  keepAliveMs?: number
  jobs?: Job[]
  database?: TestDatabase
  /** Another way to the same database, for LISTEN and the queue. */
  directUrl?: string
} = {}) {
  await using starting = new AsyncDisposableStack()
  const database = given ?? starting.use(await cloneDatabase())
  const { lines, stream } = collectLines()
  const own = { PORT: '0', FRESHET_PG_CRON: 'false', CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey }
  const { config } = readConfig({ ...own, ...env }, { forServer: false })
  const opened = {
    url: database.url,
    directUrl: directUrl ?? database.url,
    isEmbedded: false,
    description: 'test',
    [Symbol.asyncDispose]: async () => {},
  }
  const log = createLog({ level: 'debug', destination: stream })
  const app = starting.use(await startApp({ config, database: opened, log, ...(schema ? { schema } : {}), ...options }))
  const endpoint = `${app.url}/graphql`

  const post = (body: unknown, { key, headers = {} }: Ask = {}) =>
    fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
      body: JSON.stringify(body),
    })
  const keyWith = async (...scopes: Scope[]): Promise<string> => {
    const key = makeKey()
    const { prefix, hash } = digestKey(key)!
    await database.pool.query(
      'insert into freshet.api_keys (name, prefix, hash, scopes, created_by) values ($1, $2, $3, $4, $5)',
      [scopes.join(), prefix, hash, scopes, 'test'],
    )
    return key
  }
  const resources = starting.move()
  return {
    url: app.url,
    endpoint,
    pool: database.pool,
    database,
    firstKey: app.firstKey!,
    log: lines,
    post,
    keyWith,
    /** The whole answer to a query in plain text. */
    async ask<Data = Record<string, never>>(query: string, variables?: object, options?: Ask): Promise<Answer<Data>> {
      return (await (await post({ query, variables }, options)).json()) as Answer<Data>
    },
    /** The data of a typed operation, asked with the first admin key; it throws what went wrong. */
    async send<Result, Variables>(
      document: TypedDocumentNode<Result, Variables>,
      variables: Variables,
      key = app.firstKey,
    ): Promise<Result> {
      const answer = (await (
        await post({ query: print(document), variables }, key ? { key } : {})
      ).json()) as Answer<Result>
      if (answer.errors) throw new Error(JSON.stringify(answer.errors))
      return answer.data!
    },
    stop: () => app[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>
