import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { databaseUrl } from '../support/postgres.ts'

const run = promisify(execFile)
const bin = process.env.FRESHET_TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server whose pg_cron lives in the database `home`; `away` is another one beside it. */
    pgCron: { home: string; away: string; admin: string }
  }
}

/** A private Postgres with pg_cron, as Debian packages it, with nothing in it and gone afterwards. */
export default async function setup(project: TestProject) {
  const resources = new AsyncDisposableStack()
  try {
    const dir = await mkdtemp(join(tmpdir(), 'freshet-pg-cron-'))
    resources.defer(() => rm(dir, { recursive: true, force: true }))
    if (userInfo().uid === 0) await chownToPostgres(dir)
    const port = await freePort()
    const data = join(dir, 'data')
    const settings = [
      `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`,
      '-c shared_preload_libraries=pg_cron -c cron.database_name=home -c cron.use_background_workers=on',
    ].join(' ')
    await asPostgres(`${bin}/initdb -D ${data} -A trust -U postgres`)
    await asPostgres(`${bin}/pg_ctl -D ${data} -w -l ${join(dir, 'log')} -o '${settings}' start`)
    resources.defer(() => asPostgres(`${bin}/pg_ctl -D ${data} -m immediate stop`))
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query('create database home')
    await admin.query('create database away')
    await admin.end()
    project.provide('pgCron', { home: databaseUrl(url, 'home'), away: databaseUrl(url, 'away'), admin: url })
    return () => resources.disposeAsync()
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** Postgres refuses to run as root. */
async function asPostgres(command: string): Promise<void> {
  const [file, args] =
    userInfo().uid === 0 ? ['su', ['postgres', '-s', '/bin/sh', '-c', command]] : ['/bin/sh', ['-c', command]]
  await run(file, args, { cwd: '/' })
}

async function chownToPostgres(dir: string): Promise<void> {
  const { stdout } = await run('id', ['-u', 'postgres'])
  await chown(dir, Number(stdout), -1)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
