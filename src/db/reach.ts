import pg from 'pg'
import { ExpectedError } from '../expected-error.ts'

const connectMs = 5_000

/** The database does not let us in. The message names host and port, never the password; the hint says what to do. */
export class DatabaseUnreachableError extends ExpectedError<
  'DATABASE_UNREACHABLE' | 'DATABASE_LOGIN_REFUSED' | 'DATABASE_MISSING'
> {}

/** Opens one connection, or says within five seconds why that cannot be. `name` is what Postgres calls it. */
export async function reachDatabase(url: string, name = 'freshet'): Promise<pg.Client & AsyncDisposable> {
  const client = createClient(url, name)
  client.on('error', () => {}) // the statement that runs fails too, and says so
  try {
    await client.connect()
  } catch (error) {
    throw explain(client, error as Error & { code?: string })
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Throws unless the database can be reached. */
export async function assertReachable(url: string): Promise<void> {
  await using _client = await reachDatabase(url)
}

function createClient(connectionString: string, name: string): pg.Client {
  try {
    const options = { application_name: name, connectionTimeoutMillis: connectMs, keepAlive: true }
    return new pg.Client({ connectionString, ...options })
  } catch (error) {
    const message = `The Postgres connection URL cannot be used: ${(error as Error).message}.`
    const hint = 'Correct DATABASE_URL; files that it names must exist.'
    throw new DatabaseUnreachableError('DATABASE_UNREACHABLE', message, { hint, cause: error })
  }
}

function explain({ host, port, user = '', database = '' }: pg.Client, error: Error & { code?: string }) {
  const place = host.startsWith('/') ? `socket ${host}, port ${port}` : `${host}:${port}`
  const start = `Postgres at ${place}`
  if (error.code?.startsWith('28')) {
    const message = `${start} refuses the user "${user}": ${error.message}.`
    const hint = 'Correct user and password in DATABASE_URL, or let the user in (pg_hba.conf).'
    return new DatabaseUnreachableError('DATABASE_LOGIN_REFUSED', message, { hint, cause: error })
  }
  if (error.code === '3D000') {
    const message = `${start} has no database "${database}".`
    const hint = 'Create it, or correct its name in DATABASE_URL.'
    return new DatabaseUnreachableError('DATABASE_MISSING', message, { hint, cause: error })
  }
  const hint = 'Start Postgres there or correct DATABASE_URL; without one Freshet brings its own.'
  const message = `${start} cannot be reached: ${reasonOf(error)}.`
  return new DatabaseUnreachableError('DATABASE_UNREACHABLE', message, { hint, cause: error })
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'no address is known for this name',
  EAI_AGAIN: 'the name cannot be looked up now',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'it does not answer',
}

function reasonOf({ code = '', message }: Error & { code?: string }): string {
  if (message === 'timeout expired') return `it does not answer within ${connectMs / 1000} s`
  return reasons[code] ?? (message.replace(/\.$/, '') || code)
}
