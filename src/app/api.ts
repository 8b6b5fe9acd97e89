import type { GraphQLSchema } from 'graphql'
import { listen } from '../db/listen.ts'
import { createAttempts } from '../domain/access/attempts.ts'
import { startAlertBell } from '../domain/alerts/alert-bell.ts'
import { startEventHub } from '../domain/runs/event-hub.ts'
import { createDashboard, dashboardPath } from '../http/dashboard/dashboard.ts'
import { createGraphiql } from '../http/graphiql/page.ts'
import type { Metrics } from '../http/metrics.ts'
import { watchRevocations } from '../http/revocations.ts'
import type { Streams } from '../http/streams.ts'
import { createGraphql } from '../http/yoga.ts'
import { openDashboard } from '../jobs/kit/dashboard.ts'
import type { Job } from '../jobs/kit.ts'
import type { Store } from './store.ts'

type Parts = { schema: GraphQLSchema; jobs: Job[]; metrics: Metrics; streams: Streams; keepAliveMs: number | undefined }

/** What answers people and services: GraphQL with its subscriptions, GraphiQL, and the dashboard of the queues. */
export async function startApi(store: Store, { jobs, streams, keepAliveMs, ...parts }: Parts) {
  const { pool, db, directUrl, config, log, now, keyRing } = store
  await using starting = new AsyncDisposableStack()
  const listener = starting.use(await listen(directUrl, log))
  const revocations = starting.use(watchRevocations({ listener, pool, streams, log }))
  const eventHub = starting.use(await startEventHub({ listener, pool, log, keepAliveMs }))
  const alertBell = starting.use(startAlertBell({ listener, keepAliveMs }))
  const pages = starting.use(openDashboard(directUrl, dashboardPath, log))
  const attempts = createAttempts(() => now().getTime())
  const retryDelays = new Map(jobs.map(({ name, options }) => [name, options.retryDelays]))
  const shared = { db, pool, attempts, now }
  const handlers = {
    dashboard: createDashboard({ ...shared, log, answer: (request) => pages.answer(request) }),
    graphql: createGraphql({
      ...shared,
      ...parts,
      config,
      log,
      streams,
      revocations,
      eventHub,
      alertBell,
      retryDelays,
      keyRing,
    }),
    graphiql: createGraphiql({
      title: 'Freshet',
      endpoint: '/graphql',
      onError: (error) => log.error({ err: error }, 'GraphiQL could not be made'),
    }),
  }
  const running = starting.move()
  return { handlers, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
