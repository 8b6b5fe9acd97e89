import { expect, test } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import type { MigrationReport } from '../../src/db/migrate/migrate.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { fingerprint } from './fixtures/fingerprint.ts'
import { expected, folder, killAtPoints, startChild } from './fixtures/migrate-processes.ts'

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

// The fault suite has the twenty points that R21 asks for.
test('R21: killed at any of 5 points, the next run makes what a fresh database has', () => killAtPoints(5), 60_000)
