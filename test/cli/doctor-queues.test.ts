import { afterAll, expect, test } from 'vitest'
import { checkQueues, judgeDead, judgeWorkers } from '../../src/cli/doctor/queues.ts'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'
import { makeFailure, makeJob, makeQueue } from '../support/queue.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

test('a worker seen 60 s ago is there, one seen 61 s ago is missed', () => {
  expect(judgeWorkers(60, 0)).toEqual({ check: 'workers', verdict: 'ok', message: 'seen 60 s ago; no job waits' })
  expect(judgeWorkers(61, 1)).toMatchObject({ verdict: 'warn', message: 'none was seen for 61 s; 1 job waits' })
  expect(judgeWorkers(null, 2)).toMatchObject({ verdict: 'warn', message: 'none was seen yet; 2 jobs wait' })
})

test('dead letters are told by their queue', () => {
  expect(judgeDead([{ name: 'notify', dead: 0 }])).toMatchObject({ verdict: 'ok', message: 'none' })
  const queues = [
    { name: 'notify', dead: 1 },
    { name: 'parcel', dead: 2 },
  ]
  expect(judgeDead(queues)).toMatchObject({ verdict: 'warn', message: '1 of notify, 2 of parcel' })
})

test('the database is asked; where there is no queue yet, nothing is said', async () => {
  await makeQueue(database.pool, 'parcel')
  await makeJob(database.pool, 'parcel')
  await makeFailure(database.pool, 'parcel')
  await database.pool.query('update pgboss.queue set monitor_on = now()')
  const client = await database.pool.connect()
  const findings = await checkQueues(client, new Date())
  client.release()
  expect(findings).toMatchObject([
    { check: 'workers', verdict: 'ok', message: expect.stringMatching(/^seen \d s ago; 1 job waits$/) as string },
    { check: 'dead letters', verdict: 'warn', message: '1 of parcel' },
  ])
  await using empty = await createEmptyDatabase()
  const nowhere = await empty.pool.connect()
  expect(await checkQueues(nowhere, new Date())).toEqual([])
  nowhere.release()
})
