import { afterAll, expect, test } from 'vitest'
import { seededRandom } from '../faults/seed.ts'
import { cloneDatabase } from '../support/database.ts'
import { openAttempts } from '../support/feed-base.ts'
import { mishaps, replay } from '../support/feed-history.ts'
import { startSftpServer } from '../support/sftp-server.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const server = await startSftpServer()
afterAll(() => server[Symbol.asyncDispose]())
const attempts = await openAttempts(database)
afterAll(() => attempts[Symbol.asyncDispose]())

// `npm run test:faults` plays hundreds of days on which the shop drifts, too.
test('FAULTS R13: a file that goes wrong is blocked exactly where it should be, and nothing vanishes unapproved', async () => {
  const random = seededRandom('R13', 13)
  const days = 2 * mishaps.length + 1
  const figures = await replay({ database, server, attempts }, { days, mishapEvery: 2, random })
  expect(figures).toEqual({ days, asExpected: days, wrong: [], vanished: 0 })
}, 60_000)
