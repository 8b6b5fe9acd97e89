import { NoSchemaIntrospectionCustomRule, type GraphQLSchema } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Config } from '../config.ts'
import type { Pool } from '../db/pool.ts'
import type { Db } from '../db/prisma.ts'
import { createAttempts } from '../domain/access/attempts.ts'
import type { Log } from '../log.ts'
import type { Context } from '../schema/builder.ts'
import { anonymous } from './authentication.ts'
import { refuseForeignForms } from './csrf.ts'
import { maskErrors } from './errors.ts'
import { createGate, type Visitor } from './gate.ts'
import { limitTokens } from './limits.ts'
import type { Metrics } from './metrics.ts'
import type { Streams } from './streams.ts'

export type YogaParts = {
  schema: GraphQLSchema
  db: Db
  pool: Pool
  config: Config
  log: Log
  metrics: Metrics
  streams: Streams
  now: () => Date
}

const hideSchema: Plugin = { onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule) }

/** GraphQL over HTTP at /graphql: queries and mutations by POST, queries by GET, subscriptions as server-sent events. */
export function createGraphql({ schema, db, pool, config, log, metrics, streams, now }: YogaParts) {
  const attempts = createAttempts(() => now().getTime())
  return createYoga<{ visitor: Visitor }, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: config.http.corsOrigins.length > 0 ? { origin: config.http.corsOrigins, credentials: false } : false,
    maxRequestBodySize: false, // the server looks at content-length: yoga's own limit halves the speed
    logging: false,
    maskedErrors: { maskError: maskErrors(log, (code) => metrics.countError(code)) },
    plugins: [
      refuseForeignForms,
      limitTokens(config.http),
      createGate({ limits: config.http, attempts, streams, metrics }),
      ...(config.http.introspection ? [] : [hideSchema]),
    ],
    context: ({ visitor }) => ({
      db,
      pool,
      now,
      publicRead: config.access.publicRead,
      actor: anonymous(visitor.requestId),
    }),
  })
}
