import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import { migrate, type MigrationReport } from '../../src/db/migrate/migrate.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { fingerprint } from './fixtures/fingerprint.ts'
import { ownSqlAnd } from './fixtures/sql-folder.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Our own files, and with them one of every case: two transactions, a view, a second commit. */
const folder = stack.use(
  await ownSqlAnd({
    'migrations/9001_enum.sql': "alter type freshet.source_kind add value 'MORE';",
    'migrations/9002_more.sql':
      "create table freshet.more (kind freshet.source_kind); insert into freshet.more values ('MORE');",
    'functions/more.sql':
      "create or replace function freshet.more() returns bigint language sql stable set search_path = '' as $$ select count(*) from freshet.more where kind = 'MORE' $$;",
    'views/more_view.sql': 'create or replace view freshet.more_view as select freshet.more() as n;',
  }),
)
const fresh = stack.use(await createEmptyDatabase())
const steps: string[] = []
await migrate(fresh.url, { sqlDir: folder.dir, onStep: ({ kind }) => void steps.push(kind) })
const expected = await fingerprint(fresh.url)

function startChild(url: string, pauseAt?: number) {
  const script = fileURLToPath(new URL('./fixtures/migrate-child.ts', import.meta.url))
  const args = [script, url, folder.dir, ...(pauseAt === undefined ? [] : [String(pauseAt)])]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    exited: once(child, 'exit'),
    say: (word: string) => child.stdin.write(`${word}\n`),
    hear: async () => (await lines.next()).value,
    kill: () => child.kill('SIGKILL'),
  }
}

test('ten processes at once on an empty database all come up, and each statement ran once', async () => {
  await using database = await createEmptyDatabase()
  const children = Array.from({ length: 10 }, () => startChild(database.url))
  for (const child of children) expect(await child.hear()).toBe('ready')
  for (const child of children) child.say('go')
  const reports = await Promise.all(
    children.map(async (child) => JSON.parse((await child.hear()) ?? '') as MigrationReport),
  )
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual(children.map(() => [0, null]))

  const files = await readSqlFiles(folder.dir)
  const sorted = (lists: string[][]) => lists.flat().toSorted()
  expect(sorted(reports.map(({ migrations }) => migrations))).toEqual(files.migrations.map(({ name }) => name))
  expect(sorted(reports.map(({ applied }) => applied))).toEqual(sorted([files.replaceables.map(({ path }) => path)]))
  expect(reports.filter(({ queue }) => queue !== null)).toHaveLength(1)
  expect((await database.pool.query('select kind from freshet.more')).rows).toEqual([{ kind: 'MORE' }])
  expect(await fingerprint(database.url)).toBe(expected)
})

test('R21: killed at any of 20 points, the next run makes what a fresh database has', async () => {
  const points = Array.from({ length: 20 }, (_, index) => Math.round((index * (steps.length - 1)) / 19))
  expect(new Set(points).size).toBe(20)
  const killAndMigrate = async (point: number) => {
    await using database = await createEmptyDatabase()
    const child = startChild(database.url, point)
    expect(await child.hear()).toBe('ready')
    child.say('go')
    expect(await child.hear()).toBe('paused')
    child.kill()
    expect(await child.exited).toEqual([null, 'SIGKILL'])
    await migrate(database.url, { sqlDir: folder.dir })
    const killed = `killed before step ${point}, ${steps[point]}\n`
    expect(killed + (await fingerprint(database.url))).toBe(killed + expected)
    expect((await database.pool.query('select kind from freshet.more')).rows).toEqual([{ kind: 'MORE' }])
  }
  const waiting = [...points]
  const worker = async () => {
    for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) await killAndMigrate(point)
  }
  await Promise.all([worker(), worker(), worker()])
}, 60_000)
