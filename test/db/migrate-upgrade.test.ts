import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'
import { fingerprint } from './fixtures/fingerprint.ts'
import { sqlFolder } from './fixtures/sql-folder.ts'

const { migrations } = await readSqlFiles()
const rowsAt = (number: string) => readFile(new URL(`./fixtures/rows/${number}.sql`, import.meta.url), 'utf8')

const fresh = await cloneDatabase()
afterAll(() => fresh[Symbol.asyncDispose]())
const expected = await fingerprint(fresh.url)

test.each(migrations.map(({ name }, index) => [name, index] as const))(
  'a database at %s, with rows, comes to equal a fresh one and keeps its rows',
  async (_name, last) => {
    await using database = await createEmptyDatabase()
    const earlier = migrations.slice(0, last + 1)
    await using folder = await sqlFolder(Object.fromEntries(earlier.map(({ path, text }) => [path, text])))
    await migrate(database.url, { sqlDir: folder.dir })
    for (const { name } of earlier) await database.pool.query(await rowsAt(name.slice(0, 4)))
    const before = await countRows(database.pool)
    expect(Math.min(...Object.values(before))).toBeGreaterThan(0)

    expect(await migrate(database.url)).toMatchObject({
      migrations: migrations.slice(last + 1).map(({ name }) => name),
    })
    expect(await fingerprint(database.url)).toBe(expected)
    const after = await countRows(database.pool) // a migration may bring rows of its own
    expect(Object.entries(before).filter(([table, count]) => (after[table] ?? 0) < count)).toEqual([])
  },
)

/** How many rows each table holds, but for the records of migrating itself. */
async function countRows(pool: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'freshet' and tablename not in ('migrations', 'applied_sql')",
  )
  const counts = rows.map(async ({ name }) => {
    const { rows: counted } = await pool.query<{ count: number }>(`select count(*)::int as count from freshet.${name}`)
    return [name, counted[0]?.count ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}
