import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Command } from 'commander'
import type { Environment } from '../config.ts'
import type { Run } from './context.ts'
import { CommandError } from './error.ts'

const help = `
Everything else after psql goes to psql, -? for its own help too. Its exit code is passed on.

Examples:
  freshet psql                                    a shell
  freshet psql -c 'select * from freshet.clock'   one statement
  freshet psql --csv -c 'select name from freshet.retailers' > retailers.csv`

/** `freshet psql`: a shell on the database that Freshet uses. */
export function addPsql(program: Command, run: Run): void {
  program
    .command('psql')
    .description("open psql on Freshet's database, the embedded one too")
    .argument('[args...]', 'arguments for psql')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption('--help', 'display help for command') // -h names a host to psql
    .addHelpText('after', help)
    .action(
      run(async (context, args: string[]) => {
        const program = await findProgram('psql', context.given.PATH ?? '')
        const { readSettings } = await import('./context.ts')
        const { openDatabase } = await import('../db/open.ts')
        const { assertReachable } = await import('../db/reach.ts')
        await using database = await openDatabase(await readSettings(context), { signal: context.signal })
        await assertReachable(database.directUrl)
        const { PGHOSTADDR: _address, PGSERVICE: _service, ...env } = context.given // they would lead elsewhere
        return await runShell(program, args, { ...env, ...connectionVariables(database.directUrl) })
      }),
    )
}

async function findProgram(name: string, path: string): Promise<string> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const file = join(folder, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  const hint = 'Install the Postgres client (Debian: apt install postgresql-client; macOS: brew install libpq).'
  throw new CommandError('PSQL_MISSING', 'There is no psql on the PATH.', { hint })
}

const parameters: Record<string, string> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  dbname: 'PGDATABASE',
  password: 'PGPASSWORD',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
}

/** A connection as libpq reads it from the environment, where other users cannot see the password. */
export function connectionVariables(url: string): Environment {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const parts = {
    application_name: 'freshet psql',
    host: decode(hostname).replace(/^\[(.*)\]$/, '$1'),
    port,
    user: decode(username),
    password: decode(password),
    dbname: decode(pathname.slice(1)),
    ...Object.fromEntries(searchParams),
  }
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (value && parameters[name] ? [[parameters[name], value]] : [])),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is no escape
  }
}

/** Runs a program that owns the terminal: Ctrl-C is for it to answer, not for us. */
async function runShell(program: string, args: string[], env: Environment): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env })
  const ignore = () => {}
  const pass = () => child.kill('SIGTERM')
  process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass)
  }
}
