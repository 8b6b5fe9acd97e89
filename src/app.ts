import { randomUUID } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import { startApi } from './app/api.ts'
import { openStore } from './app/store.ts'
import { startWork } from './app/work.ts'
import type { Config } from './config.ts'
import { watchMigrations } from './db/migrate/missing.ts'
import type { Database } from './db/open.ts'
import type { Actor } from './domain/access/actor.ts'
import { createFirstKey, ensureAdminKey } from './domain/access/api-key.ts'
import { readMeasurements } from './domain/metrics/read-measurements.ts'
import { createMetrics } from './http/metrics.ts'
import { openHttp } from './http/server.ts'
import { createStreams } from './http/streams.ts'
import { jobs as ownJobs } from './jobs/index.ts'
import type { Job } from './jobs/kit.ts'
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
  /** The time; the database's where none is given. */
  now?: () => Date
  schema?: GraphQLSchema
  /** How long a subscription may be silent before it says that it lives. */
  keepAliveMs?: number
  jobs?: Job[]
  /** Whether to take the next free port where its own is taken. */
  orNextPort?: boolean | undefined
  /** Aborted when the start is to be given up: what was begun is put away. */
  signal?: AbortSignal
  /** Hears of what takes seconds before it begins. */
  tell?: (step: string) => void
}

/** Starts what the role asks for. Disposing stops it: requests and jobs side by side, then the rest in the reverse order. */
export async function startApp({
  config,
  database,
  log,
  now: given,
  schema = ownSchema,
  keepAliveMs,
  jobs = ownJobs,
  orNextPort = false,
  signal = new AbortController().signal,
  tell = (step) => log.info(step),
}: AppOptions): Promise<App> {
  await using starting = new AsyncDisposableStack()
  // First of all: whoever cannot have its port must not have taken the clock or a job before it ends.
  const http = starting.use(await openHttp(config, log, { orNextPort }))
  const store = starting.use(await openStore(config, database, { log, now: given, signal, tell }))
  const { pool, db, now } = store
  const actor: Actor = { keyId: null, name: 'first start', scopes: new Set(), requestId: randomUUID() }
  if (config.access.adminKey) await ensureAdminKey(db, actor, config.access.adminKey)
  signal.throwIfAborted()

  const streams = createStreams(now)
  const work = starting.use(
    await startWork(store, jobs, (clock) =>
      createMetrics({ pool, streams, clock, readMeasurements: () => readMeasurements(pool, now()) }),
    ),
  )
  const { metrics, clock, schedules } = work
  signal.throwIfAborted()
  const parts = { schema, jobs, metrics, streams, keepAliveMs }
  const api = config.role === 'worker' ? undefined : starting.use(await startApi(store, parts))
  const checks = [
    { name: 'database', run: async () => void (await pool.query('select 1')) },
    { name: 'migrations', run: await watchMigrations(pool) },
    // A late clock is told, but a catalogue that can be read stays in service.
    { name: 'clock', run: async () => clock.problem(), isAdvice: true },
  ]
  signal.throwIfAborted()
  // Last, when nothing else can fail: a key that is stored is shown, for nobody could learn it later.
  const firstKey = config.access.adminKey ? undefined : await createFirstKey(db, actor)
  http.serve({ metrics, streams, checks, ...api?.handlers })
  const running = starting.move()
  return {
    url: http.url,
    firstKey,
    schedules,
    async [Symbol.asyncDispose]() {
      // Side by side: requests and jobs have the same time to finish, not one after the other.
      await Promise.allSettled([http[Symbol.asyncDispose](), work[Symbol.asyncDispose]()])
      await running.disposeAsync()
    },
  }
}
