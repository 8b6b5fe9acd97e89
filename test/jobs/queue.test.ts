import { afterAll, expect, test } from 'vitest'
import { startQueue } from '../../src/jobs/queue.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { collectLines } from '../support/lines.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const { lines, stream } = collectLines()
const log = createLog({ level: 'info', destination: stream })
const connections = async () => {
  const { rowCount } = await database.pool.query(
    "select from pg_stat_activity where datname = current_database() and application_name = 'freshet:queue'",
  )
  return rowCount ?? 0
}

test('a process that only answers requests may enqueue, one that works takes the job', async () => {
  await using api = await startQueue(database.url, 'api', log)
  await using worker = await startQueue(database.url, 'worker', log)
  await api.createQueue('trial')
  const { promise: worked, resolve } = Promise.withResolvers<object>()
  await worker.work('trial', { pollingIntervalSeconds: 0.5 }, async ([job]) => resolve(job?.data as object))
  await api.send('trial', { number: 7 })
  expect(await worked).toEqual({ number: 7 })
})

test('lost connections end neither the process nor the queue', async () => {
  await using queue = await startQueue(database.url, 'all', log)
  await queue.createQueue('other')
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'freshet:queue'",
  )
  await until('it can enqueue again', () => queue.send('other', {}).catch(() => undefined))
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
})

test('stopped, it leaves no connection', async () => {
  const queue = await startQueue(database.url, 'all', log)
  expect(await connections()).toBeGreaterThan(0)
  await queue[Symbol.asyncDispose]()
  await until('none is left', async () => (await connections()) === 0)
})
