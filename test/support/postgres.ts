import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { prepareQueuesAt } from '../../src/jobs/kit/prepare.ts'
import { generatePrisma } from '../../tools/generate-prisma.ts'
import { startContainer } from './container.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the tests' Postgres answers, the migrated database to clone, and how databases of this run begin. */
    postgres: { url: string; template: string; prefix: string }
  }
}

type Source = AsyncDisposable & { url: string; kind: string }

const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }
const dayMs = 86_400_000

/** One Postgres for all tests: a server named by the caller, a container, or an embedded one. */
export default async function setup(project: TestProject) {
  generatePrisma() // `npx vitest run …` knows no pretest; after a pull the client may be of another schema
  const resources = new AsyncDisposableStack()
  try {
    const { url, kind } = resources.use(await findPostgres())
    const admin = new pg.Client(url)
    await admin.connect()
    resources.defer(() => admin.end())
    const { rows } = await admin.query<{ server_version: string }>('show server_version')
    process.stdout.write(`Tests run on Postgres ${rows[0]?.server_version.split(' ')[0]} (${kind}).\n`)

    const startedAt = Date.now()
    const prefix = `freshet_test_${startedAt}_${Math.random().toString(36).slice(2, 8)}`
    await dropDatabases(admin, (name) => startedAt - Number(name.split('_')[2]) > dayMs) // left by runs that died
    resources.defer(() => dropDatabases(admin, (name) => name.startsWith(prefix)))
    const template = `${prefix}_template`
    await admin.query(`create database ${template}`)
    await migrate(databaseUrl(url, template))
    await prepareQueuesAt(databaseUrl(url, template))
    project.provide('postgres', { url, template, prefix })
    return () => resources.disposeAsync()
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** `DATABASE_URL` is left alone: it may be somebody's data. */
async function findPostgres(): Promise<Source> {
  const named = process.env.FRESHET_TEST_DATABASE_URL
  if (named) return { url: named, kind: 'FRESHET_TEST_DATABASE_URL', [Symbol.asyncDispose]: async () => {} }
  const image = process.env.FRESHET_TEST_IMAGE ?? 'postgres:18'
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const container = await startContainer(image, flags)
  if ('url' in container) return { ...container, kind: `container of ${image}` }
  return startEmbedded(container.reason)
}

async function startEmbedded(reason: string): Promise<Source> {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-test-'))
  await chmod(dir, 0o755) // as root the server runs as another user, who has to get in
  const server = await openEmbedded(dir, { settings })
  return {
    url: server.url('postgres'),
    kind: `embedded; ${reason}`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      for (const path of [server.dataDir, dir]) await rm(path, { recursive: true, force: true })
    },
  }
}

/** The address of another database on the same server. */
export function databaseUrl(url: string, database: string): string {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

async function dropDatabases(admin: pg.Client, isOurs: (name: string) => boolean) {
  const { rows } = await admin.query<{ name: string }>(
    "select datname as name from pg_database where datname like 'freshet\\_test\\_%'",
  )
  for (const { name } of rows.filter((row) => isOurs(row.name))) await admin.query(`drop database ${name} with (force)`)
}
