import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { openAttempts } from '../support/feed-base.ts'
import { replay } from '../support/feed-history.ts'
import { startSftpServer } from '../support/sftp-server.ts'
import { report, seededRandom } from './seed.ts'

const days = Number(process.env.FRESHET_FAULT_DAYS ?? 400)
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const server = await startSftpServer()
afterAll(() => server[Symbol.asyncDispose]())
const attempts = await openAttempts(database)
afterAll(() => attempts[Symbol.asyncDispose]())

test('R13: 400 daily versions of a shop’s feed are blocked exactly where they should be, and nothing vanishes unapproved', async () => {
  const random = seededRandom('R13', 130)
  const begun = performance.now()
  const figures = await replay({ database, server, attempts }, { days, mishapEvery: 8, random })
  report('R13', { ...figures, seconds: Math.round((performance.now() - begun) / 1_000) })
  expect(figures).toEqual({ days, asExpected: days, wrong: [], vanished: 0 })
}, 3_600_000)
