import { makeFailure, makeJob, makeQueue } from '../queue.ts'
import type { Make, Mark, Operations, Table } from './operation.ts'

/** A queue of its own, with a job that waits and one that failed for good. */
export type QueueFixture = { queue: { name: string; waiting: string; failed: string } }

export const tables = { Job: ['pgboss.job', 'id'], Queue: ['pgboss.job', 'name'] } satisfies Record<string, Table>

export const make: Make<object, QueueFixture> = async (pool, { mark }) => {
  const name = `fixture-${mark}`
  await makeQueue(pool, name)
  const waiting = await makeJob(pool, name, {}, { mark })
  const { id: failed } = await makeFailure(pool, name, { payload: { mark } })
  return { queue: { name, waiting, failed } }
}

export const operations: Operations<Mark & QueueFixture> = {
  'Query.queues': { scope: 'OPERATE', document: '{ queues { name waiting dead retryWaitSeconds } }' },
  'Query.jobs': { scope: 'OPERATE', document: '{ jobs(first: 100) { totalCount nodes { id payload } } }' },
  'Mutation.retryJob': {
    scope: 'OPERATE',
    document: 'mutation ($queue: String!, $id: ID!) { retryJob(queue: $queue, id: $id) { id } }',
    variables: ({ queue }) => ({ queue: queue.name, id: queue.failed }),
    recorded: ({ queue }, { id }) => ({
      action: 'RETRY_JOB',
      objectType: 'Job',
      objectId: queue.failed,
      changes: { queue: { to: queue.name }, repeatedAs: { to: id } },
    }),
    repeated: 'CONFLICT',
  },
  'Mutation.cancelJob': {
    scope: 'OPERATE',
    document: 'mutation ($queue: String!, $id: ID!) { cancelJob(queue: $queue, id: $id) { id } }',
    variables: ({ queue }) => ({ queue: queue.name, id: queue.waiting }),
    recorded: ({ queue }) => ({
      action: 'CANCEL_JOB',
      objectType: 'Job',
      objectId: queue.waiting,
      changes: { queue: { to: queue.name }, state: { from: 'created', to: 'cancelled' }, run: { to: false } },
    }),
    repeated: 'CONFLICT',
  },
  'Mutation.redriveQueue': {
    scope: 'OPERATE',
    document: 'mutation ($name: String!) { redriveQueue(name: $name, limit: 10) { moved } }',
    variables: ({ queue }) => ({ name: queue.name }),
    recorded: ({ queue }) => ({
      action: 'REDRIVE_QUEUE',
      objectType: 'Queue',
      objectId: queue.name,
      changes: { limit: { to: 10 }, moved: { to: 1 } },
    }),
    repeated: { limit: { to: 10 }, moved: { to: 0 } },
  },
}
