import {
  NoSchemaIntrospectionCustomRule,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql'
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Config } from '../config.ts'
import type { Pool } from '../db/pool.ts'
import type { Db } from '../db/prisma.ts'
import type { Attempts } from '../domain/access/attempts.ts'
import type { AlertBell } from '../domain/alerts/alert-bell.ts'
import type { KeyRing } from '../domain/feeds/credentials/key-ring.ts'
import type { EventHub } from '../domain/runs/event-hub.ts'
import type { Log } from '../log.ts'
import type { Context } from '../schema/builder.ts'
import { anonymous } from './authentication.ts'
import { refuseForeignForms } from './csrf.ts'
import { createDocumentCache } from './documents.ts'
import { createErrorDoor, type ShowError } from './errors.ts'
import { createGate, type Visitor } from './gate.ts'
import { limitDocument } from './limits.ts'
import type { Metrics } from './metrics.ts'
import { readParameters } from './parameters.ts'
import { problem, problemType } from './problem.ts'
import type { Revocations } from './revocations.ts'
import type { Streams } from './streams.ts'

export type YogaParts = {
  schema: GraphQLSchema
  db: Db
  pool: Pool
  config: Config
  log: Log
  metrics: Metrics
  streams: Streams
  revocations: Revocations
  eventHub: EventHub
  alertBell: AlertBell
  keyRing: KeyRing
  now: () => Date
  retryDelays: Context['retryDelays']
  attempts: Attempts
}

/** GraphQL over HTTP at /graphql: queries and mutations by POST, queries by GET, subscriptions as server-sent events. */
export function createGraphql(parts: YogaParts) {
  const { schema, db, pool, config, log, metrics, streams, revocations, eventHub, alertBell, attempts, now } = parts
  const { retryDelays, keyRing } = parts
  const show = createErrorDoor(log)
  return createYoga<{ visitor: Visitor }, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false, // the server answers, so that its own errors can be read too
    maxRequestBodySize: false, // the server looks at content-length: yoga's own limit halves the speed
    parserAndValidationCache: createDocumentCache(),
    logging: false,
    maskedErrors: { maskError: show },
    plugins: [
      refuseForeignForms,
      readParameters,
      limitDocument(config.http),
      createGate({ limits: config.http, attempts, streams, revocations, metrics, show }),
      showAll(show, metrics),
      explainEmpty,
      ...(config.http.introspection ? [] : [hideSchema]),
    ],
    context: ({ visitor }) => ({
      db,
      pool,
      now,
      log,
      eventHub,
      alertBell,
      retryDelays,
      keyRing,
      allowPlainFtp: config.outside.allowPlainFtp,
      publicRead: config.access.publicRead,
      actor: anonymous(visitor.requestId),
    }),
  })
}

/** The last door: whatever went wrong, and wherever, the client sees it with a code, and it is counted. */
const showAll = (show: ShowError, metrics: Metrics): Plugin => ({
  onResultProcess(event) {
    const { result } = event
    if (isAsyncIterable(result) || Array.isArray(result) || !result.errors) return
    const errors = result.errors.map(show)
    metrics.countErrors(errors)
    event.setResult({ ...result, errors })
  },
  onSubscribe: () => ({
    onSubscribeResult: () => ({
      onNext({ result, setResult }) {
        if (!result.errors) return
        const errors = result.errors.map(show)
        metrics.countErrors(errors)
        setResult({ ...result, errors })
      },
    }),
  }),
})

/** What yoga refuses without a word. */
const explainEmpty: Plugin = {
  onResponse(event) {
    const { response, fetchAPI } = event
    if (response.status < 400 || response.body !== null) return
    const detail =
      response.status === 406
        ? 'Accept application/json or application/graphql-response+json; for subscriptions text/event-stream.'
        : 'This is not a GraphQL request.'
    const headers = { 'content-type': problemType, 'cache-control': 'no-store' }
    event.setResponse(new fetchAPI.Response(problem(response.status, detail), { status: response.status, headers }))
  },
}

/** Also the names that GraphQL proposes where one nearly fits: they would tell the schema bit by bit. */
const hideSchema: Plugin = {
  onValidate({ addValidationRule, setValidationFn }) {
    addValidationRule(NoSchemaIntrospectionCustomRule)
    setValidationFn((schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
      validate(schema, document, rules, { hideSuggestions: true }),
    )
  },
}
