import { randomUUID } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import type { Config } from './config.ts'
import { listen } from './db/listen.ts'
import { assertMigrated, migrate } from './db/migrate/migrate.ts'
import { watchMigrations } from './db/migrate/missing.ts'
import type { Database } from './db/open.ts'
import { connectPool, endPool } from './db/pool.ts'
import { connectPrisma } from './db/prisma.ts'
import { createAttempts } from './domain/access/attempts.ts'
import { createFirstKey, ensureAdminKey } from './domain/access/api-key.ts'
import type { Actor } from './domain/access/actor.ts'
import { keepCredentialKey } from './domain/access/credential-key.ts'
import { startAlertBell } from './domain/alerts/alert-bell.ts'
import { readMeasurements } from './domain/metrics/read-measurements.ts'
import { startEventHub } from './domain/runs/event-hub.ts'
import { createDashboard, dashboardPath } from './http/dashboard/dashboard.ts'
import { createGraphiql } from './http/graphiql/page.ts'
import { createMetrics } from './http/metrics.ts'
import { watchRevocations } from './http/revocations.ts'
import { startHttp } from './http/server.ts'
import { createStreams } from './http/streams.ts'
import { createGraphql } from './http/yoga.ts'
import { startClockWatch } from './jobs/clock-watch.ts'
import { startClock } from './jobs/clock.ts'
import { jobs as ownJobs } from './jobs/index.ts'
import type { Job } from './jobs/kit.ts'
import { arrangeDriver } from './jobs/pg-cron.ts'
import { openDashboard } from './jobs/dashboard.ts'
import { prepareQueues } from './jobs/prepare.ts'
import { startWorkers } from './jobs/workers.ts'
import type { Log } from './log.ts'
import { schema as ownSchema } from './schema/index.ts'

export type App = AsyncDisposable & {
  url: string
  /** The first admin key of an empty installation: to be shown once. */
  firstKey: string | undefined
  /** Who drives the schedules, for people. */
  schedules: string
}

export type AppOptions = {
  config: Config
  database: Database
  log: Log
  now?: () => Date
  schema?: GraphQLSchema
  /** How long a subscription may be silent before it says that it lives. */
  keepAliveMs?: number
  jobs?: Job[]
}

/** Starts what the role asks for. Disposing stops it: requests and jobs side by side, then the rest in the reverse order. */
export async function startApp({
  config,
  database,
  log,
  now = () => new Date(),
  schema = ownSchema,
  keepAliveMs = 15_000,
  jobs = ownJobs,
}: AppOptions): Promise<App> {
  await using starting = new AsyncDisposableStack()
  if (config.database.migrate) {
    const report = await migrate(database.directUrl)
    if (report.migrations.length + report.applied.length > 0) log.info(report, 'the database was brought up to date')
  } else await assertMigrated(database.directUrl)
  if (database.isEmbedded && !config.access.credentialKey) await keepCredentialKey(config.dataDir)

  const requestMs = config.http.requestSeconds * 1000
  const isPooled = database.directUrl !== database.url
  const pool = connectPool(database.url, {
    size: config.database.poolSize,
    log,
    // A little longer than a request: the caller hears of the whole request, not of the field that was cancelled.
    statementMs: isPooled ? undefined : requestMs + 500,
  })
  starting.defer(() => endPool(pool))
  const db = connectPrisma(pool)
  starting.defer(() => db.$disconnect())

  const actor: Actor = { keyId: null, name: 'first start', scopes: new Set(), requestId: randomUUID() }
  if (config.access.adminKey) await ensureAdminKey(db, actor, config.access.adminKey)
  await prepareQueues(pool, jobs)
  const services = { pool, db, directUrl: database.directUrl, config, now }
  const schedules = await arrangeDriver(config, { pool, directUrl: database.directUrl, log })
  if (config.role !== 'api') starting.use(await startClock(pool, log))
  const clock = starting.use(await startClockWatch(pool, log))

  const streams = createStreams(now)
  const metrics = createMetrics({ pool, streams, clock, readMeasurements: () => readMeasurements(pool, now()) })
  const working = { services, log, jobs, observe: metrics.observeJob }
  const workers = config.role === 'api' ? undefined : starting.use(await startWorkers(working))
  const attempts = createAttempts(() => now().getTime())
  const startGraphql = async () => {
    const listener = starting.use(await listen(database.directUrl, log))
    const revocations = starting.use(watchRevocations({ listener, pool, streams, log }))
    const eventHub = starting.use(startEventHub({ listener, pool, log, keepAliveMs }))
    const alertBell = starting.use(startAlertBell({ listener, keepAliveMs }))
    const pages = starting.use(openDashboard(database.directUrl, dashboardPath))
    return {
      dashboard: createDashboard({ db, pool, attempts, now, answer: (request) => pages.answer(request) }),
      graphql: createGraphql({
        schema,
        db,
        pool,
        config,
        log,
        metrics,
        streams,
        revocations,
        eventHub,
        alertBell,
        attempts,
        now,
        retryDelays: new Map(jobs.map(({ name, options }) => [name, options.retryDelays])),
      }),
      graphiql: createGraphiql({
        title: 'Freshet',
        endpoint: '/graphql',
        onError: (error) => log.error({ err: error }, 'GraphiQL could not be made'),
      }),
    }
  }
  const graphql = config.role === 'worker' ? {} : await startGraphql()
  const http = starting.use(
    await startHttp({
      config,
      log,
      metrics,
      streams,
      checks: [
        { name: 'database', run: async () => void (await pool.query('select 1')) },
        { name: 'migrations', run: await watchMigrations(pool) },
        // A late clock is told, but a catalogue that can be read stays in service.
        { name: 'clock', run: async () => clock.problem(), isAdvice: true },
      ],
      ...graphql,
    }),
  )
  // Last, when nothing else can fail: a key that is stored is shown, for nobody could learn it later.
  const firstKey = config.access.adminKey ? undefined : await createFirstKey(db, actor)
  const running = starting.move()
  return {
    url: http.url,
    firstKey,
    schedules,
    async [Symbol.asyncDispose]() {
      // Side by side: requests and jobs have the same time to finish, not one after the other.
      await Promise.allSettled([http[Symbol.asyncDispose](), workers?.[Symbol.asyncDispose]()])
      await running.disposeAsync()
    },
  }
}
