import { afterAll, expect, test } from 'vitest'
import { createApi } from '../../src/cli/demo/api.ts'
import { repeatRuns } from '../../src/cli/demo/live-run.ts'
import { startTestApp } from '../support/app.ts'
import { impactCsv, productsOf } from '../support/feed-files.ts'
import { aFeedOver } from '../support/feeds.ts'
import { startSftpServer } from '../support/sftp-server.ts'
import { until } from '../support/until.ts'

const server = await startSftpServer()
const app = await startTestApp({ env: { FRESHET_ALLOW_PRIVATE_NETWORK: 'true' } })
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

test('the demo runs its slow feed over and over, and stops when it is told to', async () => {
  server.serve(Buffer.from(impactCsv(productsOf(3))))
  await aFeedOver(app, server, { source: { name: 'Kitchen Corner via Impact' } })
  const stop = new AbortController()
  const repeating = repeatRuns(createApi(app.url, app.firstKey), stop.signal, 0)
  const ended = async () =>
    (await app.pool.query("select from freshet.runs where kind = 'FEED' and status = 'SUCCEEDED'")).rowCount
  await until('a second run has ended', async () => (await ended())! >= 2)
  stop.abort()
  await expect(repeating).rejects.toThrow('aborted')
})
