import { once } from 'node:events'
import { startApp, type App } from './app.ts'
import { readConfig, secretsOf, type Config, type Environment } from './config.ts'
import { openDatabase, type Database } from './db/open.ts'
import { createLog } from './log.ts'
import { tickSeconds } from './jobs/clock.ts'

/** Runs the server until it is told to stop: configuration, database, queue, HTTP, and back in the reverse order. */
export async function runServer(env: Environment): Promise<void> {
  const { config, warnings } = readConfig(env)
  const log = createLog({ level: config.logLevel, secrets: secretsOf(env), readable: process.stdout.isTTY })
  for (const warning of warnings) log.warn(warning)

  const stop = stopSignal()
  await using database = await openDatabase(config)
  await using app = await startApp({ config, database, log })
  process.stdout.write(welcome(config, database, app))
  log.info({ signal: await stop }, 'stopping')
}

/** The first SIGINT or SIGTERM asks for an orderly stop; a second one ends the process at once. */
async function stopSignal(): Promise<string> {
  const signal = await Promise.race(['SIGINT', 'SIGTERM'].map(async (name) => (await once(process, name), name)))
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1))
  return signal
}

function welcome({ role }: Config, database: Database, { url, firstKey }: App): string {
  const lines = [
    role === 'worker' ? `Health     ${url}/readyz` : `GraphiQL   ${url}/graphql`,
    `Postgres   ${database.description}`,
    `Schedules  ${role === 'api' ? 'driven by a worker process' : `this process's own clock, every ${tickSeconds} s`}`,
    ...(firstKey
      ? [`Admin key  ${firstKey}`, '           shown only this once: it is stored as a hash. Paste it into GraphiQL.']
      : []),
  ]
  return `\n  Freshet is ready.\n\n${lines.map((line) => `  ${line}\n`).join('')}\n`
}
