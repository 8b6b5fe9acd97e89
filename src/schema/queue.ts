import { redriveQueue } from '../domain/queue/operate.ts'
import { readQueues, type QueueStats } from '../domain/queue/queue.ts'
import { builder } from './builder.ts'

/** A queue and what lies in it. */
export const Queue = builder.objectRef<QueueStats>('Queue').implement({
  description: 'A queue of jobs: its settings, and what lies in it at this moment.',
  authScopes: { operate: true },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, as in the log and in `jobs`.' }),
    waiting: t.exposeInt('waiting', { description: 'Jobs that could start now.' }),
    active: t.exposeInt('active', { description: 'Jobs at work.' }),
    delayed: t.exposeInt('delayed', { description: 'Jobs that are to start later; those that wait for a retry too.' }),
    failed: t.exposeInt('failed', {
      description: 'Jobs that failed for good, were not repeated, and are still kept: see `keepSeconds`.',
    }),
    dead: t.exposeInt('dead', {
      description: 'Dead letters: jobs that no attempt could save. `redriveQueue` brings them back.',
    }),
    oldestSeconds: t.exposeFloat('oldestSeconds', {
      nullable: true,
      description: 'For how long the oldest waiting job could have started; null if none waits.',
    }),
    completedLastMinute: t.exposeInt('completedMinute', { description: 'Jobs that ended well in the last minute.' }),
    completedLastHour: t.exposeInt('completedHour', { description: 'Jobs that ended well in the last hour.' }),
    policy: t.exposeString('policy', {
      description: 'standard; short: one waiting job a key; exclusive: one waiting or active job a key.',
    }),
    retryWaitSeconds: t.intList({
      nullable: true,
      complexity: 1,
      description: 'The wait before each further attempt, at most 100; null: this program does not know the queue.',
      resolve: ({ name }, _args, { retryDelays }) => retryDelays.get(name) ?? null,
    }),
    expireSeconds: t.exposeInt('expireSeconds', { description: 'When an attempt is given up.' }),
    heartbeatSeconds: t.exposeInt('heartbeatSeconds', {
      nullable: true,
      description: 'How long a worker may be silent before its job is given to another.',
    }),
    keepSeconds: t.exposeInt('deletionSeconds', { description: 'How long a job that ended is kept.' }),
    deadQueue: t.exposeString('deadLetter', {
      nullable: true,
      description: 'The queue that its dead letters lie in.',
    }),
  }),
})

builder.queryField('queues', (t) =>
  t.field({
    type: [Queue],
    description:
      'The queues of the program by name, at most 100; dead letter queues are counted with the queue they belong to.',
    authScopes: { operate: true },
    resolve: async (_root, _args, { pool, now }) => (await readQueues(pool, now())).slice(0, 100),
  }),
)

const RedrivenQueue = builder.objectRef<{ moved: number; name: string }>('RedrivenQueue').implement({
  description: 'What a redrive did.',
  authScopes: { operate: true },
  fields: (t) => ({
    moved: t.exposeInt('moved', { description: 'How many dead letters went back as new jobs.' }),
    queue: t.field({
      type: Queue,
      nullable: true,
      description: 'The queue as it is now.',
      resolve: async ({ name }, _args, { pool, now }) =>
        (await readQueues(pool, now())).find((queue) => queue.name === name),
    }),
  }),
})

builder.mutationField('redriveQueue', (t) =>
  t.field({
    type: RedrivenQueue,
    description:
      'Puts dead letters of a queue back as new jobs, oldest first, each once. Those whose failure is not recorded yet stay, and those that the queue has a job for already.',
    authScopes: { operate: true },
    args: {
      name: t.arg.string({ required: true, description: 'The queue that they came from.' }),
      limit: t.arg.int({ defaultValue: 100, description: 'How many at most: 1 to 1000.' }),
    },
    resolve: async (_root, { name, limit }, { db, actor }) => ({
      name,
      moved: await redriveQueue(db, actor, name, limit ?? 100),
    }),
  }),
)
