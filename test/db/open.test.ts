import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'

const pooled = 'postgres://u:p@127.0.0.1:6432/app'
const direct = 'postgres://u:p@127.0.0.1:5432/app'

test.each([
  ['has a way of its own', { DATABASE_DIRECT_URL: direct }, direct],
  ['goes the same way as the rest', {}, pooled],
])('what must reach Postgres itself %s', async (_how, env, directUrl) => {
  const { config } = readConfig({ DATABASE_URL: pooled, ...env }, { forServer: false })
  await using database = await openDatabase(config)
  expect(database).toMatchObject({ url: pooled, directUrl, isEmbedded: false })
})
