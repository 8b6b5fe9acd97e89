import { once } from 'node:events'
import { startApp, type App } from './app.ts'
import { readConfig, secretsOf, type Config, type Environment } from './config.ts'
import { openDatabase, type Database } from './db/open.ts'
import { assertReachable } from './db/reach.ts'
import { jobs as ownJobs } from './jobs/index.ts'
import type { Job } from './jobs/kit.ts'
import { createLog } from './log.ts'

export type Running = { config: Config; database: Database; app: App }

export type ServerOptions = {
  out: NodeJS.WritableStream & { isTTY?: boolean }
  /** Aborted when the server is to stop. */
  signal: AbortSignal
  /** What is said once the server answers. */
  announce?: (running: Running) => string | Promise<string>
  /** Whether the log is for people. */
  readable?: boolean | undefined
  /** The queues to work; the program's own where none are given. */
  jobs?: Job[]
}

/** Runs the server until it is told to stop: configuration, database, queue, HTTP, and back in the reverse order. */
export async function runServer(env: Environment, options: ServerOptions): Promise<void> {
  const { out, signal, announce = welcome, readable = out.isTTY ?? false, jobs = ownJobs } = options
  const { config, warnings } = readConfig(env)
  const log = createLog({ level: config.logLevel, secrets: secretsOf(env), readable, destination: out })
  for (const warning of warnings) log.warn(warning)

  await using database = await openDatabase(config)
  await assertReachable(database.directUrl)
  if (signal.aborted) return
  await using app = await startApp({ config, database, log, jobs })
  out.write(await announce({ config, database, app }))
  if (!signal.aborted) await once(signal, 'abort')
  log.info({ signal: signal.reason }, 'stopping')
}

function welcome({ config: { role }, database, app: { url, firstKey, schedules } }: Running): string {
  const lines = [
    role === 'worker' ? `Health     ${url}/readyz` : `GraphiQL   ${url}/graphql`,
    `Postgres   ${database.description}`,
    `Schedules  ${schedules}`,
    ...(firstKey
      ? [`Admin key  ${firstKey}`, '           shown only this once: it is stored as a hash. Paste it into GraphiQL.']
      : []),
  ]
  return `\n  Freshet is ready.\n\n${lines.map((line) => `  ${line}\n`).join('')}\n`
}
