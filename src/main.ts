import { once } from 'node:events'
import { startApp, type App } from './app.ts'
import { readConfig, secretsOf, type Config, type Environment } from './config.ts'
import { openDatabase, type Database } from './db/open.ts'
import { assertReachable } from './db/reach.ts'
import { jobs as ownJobs } from './jobs/index.ts'
import type { Job } from './jobs/kit.ts'
import { unlessStopped } from './interrupt.ts'
import { createLog, type Log } from './log.ts'

export type Running = { config: Config; database: Database; app: App }

export type ServerOptions = {
  out: NodeJS.WritableStream & { isTTY?: boolean }
  /** Aborted when the server is to stop. */
  signal: AbortSignal
  /** What is said once the server answers. */
  announce?: (running: Running) => string | Promise<string>
  /** Whether the log is for people. */
  readable?: boolean | undefined
  /** Hears of what takes seconds while starting, before it begins; the log where nobody else does. */
  tell?: (step: string) => void
  /** Whether to take the next free port where its own is taken. */
  orNextPort?: boolean
  /** The queues to work; the program's own where none are given. */
  jobs?: Job[]
}

/** What a stopped start has to put away: workers, connections, the port. */
const graceMs = 3_000

/** Runs the server until it is told to stop: configuration, database, queue, HTTP, and back in the reverse order. */
export async function runServer(env: Environment, options: ServerOptions): Promise<void> {
  const { out, signal, readable = out.isTTY ?? false } = options
  const { config, warnings } = readConfig(env)
  const log = createLog({ level: config.logLevel, secrets: secretsOf(env), readable, destination: out })
  for (const warning of warnings) log.warn(warning)
  const told = () => log.info({ signal: signal.reason }, 'stopping')
  signal.addEventListener('abort', told, { once: true })
  try {
    await startAndServe(config, log, options)
  } catch (error) {
    // Told to stop before it was ready: it stops as it would later.
    if (!signal.aborted || error !== signal.reason) throw error
  } finally {
    signal.removeEventListener('abort', told)
  }
}

async function startAndServe(config: Config, log: Log, options: ServerOptions): Promise<void> {
  const { out, signal, announce = welcome, orNextPort, jobs = ownJobs, tell = (step) => log.info(step) } = options
  await using database = await openDatabase(config, { signal, tell })
  await unlessStopped(signal, assertReachable(database.directUrl))
  await using app = await unlessStopped(
    signal,
    startApp({ config, database, log, orNextPort, jobs, signal, tell }),
    graceMs,
  )
  out.write(await unlessStopped(signal, (async () => announce({ config, database, app }))(), graceMs))
  if (!signal.aborted) await once(signal, 'abort')
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
