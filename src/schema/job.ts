import { z } from 'zod'
import { countJobs, findJob, readJobs, type JobFilter as Filter, type QueuedJob } from '../domain/queue/job.ts'
import { cancelJob, retryJob, type JobPlace } from '../domain/queue/operate.ts'
import { notFound } from '../domain/errors.ts'
import { builder, type Context } from './builder.ts'
import { pageArgs, pageComplexity, readPage } from './connection.ts'
import { idPart, uuidPart } from './cursor.ts'
import { loadRunOfJob } from './load-run.ts'
import { Run } from './run-type.ts'

const JobState = builder.enumType('JobState', {
  description: 'How a job stands.',
  values: {
    WAITING: { description: 'It could start now.' },
    DELAYED: { description: 'It is to start later, for the first time or again.' },
    ACTIVE: { description: 'A worker has it.' },
    COMPLETED: { description: 'It ended well.' },
    FAILED: { description: 'It failed for good.' },
    CANCELLED: { description: 'It was not wanted, or found nothing to do.' },
    REPEATED: { description: 'It failed or was cancelled, and another job took its place.' },
    DEAD: { description: 'A dead letter: it stands for a job that failed for good.' },
  } satisfies Record<QueuedJob['state'], { description: string }>,
})

const JobError = builder.objectRef<NonNullable<QueuedJob['failure']>>('JobError').implement({
  description: 'What an attempt at a job failed with.',
  authScopes: { operate: true },
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Why, for programs.' }),
    message: t.exposeString('message', { description: 'Why, for people.' }),
    hint: t.exposeString('hint', { nullable: true, description: 'What to do about it.' }),
  }),
})

/** A job as an operator sees it. */
export const Job = builder.objectRef<QueuedJob>('Job').implement({
  description: 'A piece of work in a queue.',
  authScopes: { operate: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id, for `retryJob` and `cancelJob`, together with its queue.' }),
    queue: t.exposeString('queue', {
      description: 'The queue that it lies in; of a dead letter, the dead letter queue.',
    }),
    state: t.expose('state', { type: JobState, description: 'How it stands.' }),
    payload: t.expose('payload', {
      type: 'JSON',
      nullable: true,
      description:
        'What it carries: ids of what is to be done. What looks like a secret is covered; one of more than 100 levels or 100,000 characters is "too large to show".',
    }),
    attempt: t.exposeInt('attempt', { description: 'How many attempts were begun, the present one included.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was enqueued.' }),
    startAfter: t.expose('startAfter', { type: 'DateTime', description: 'When it may start.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its last attempt began; null: none has.',
    }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true, description: 'When it ended; null: it has not.' }),
    error: t.field({
      type: JobError,
      nullable: true,
      description: 'What its last attempt failed with; null: it did not fail.',
      resolve: ({ failure }) => failure,
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'Why it was put back or cancelled, where that was no failure.',
    }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'Its run; of a dead letter, the run of the job that failed. null: it has none.',
      resolve: ({ runJobId }, _args, context) => loadRunOfJob(runJobId, context),
    }),
    repeatedAs: t.exposeID('repeatedAs', { nullable: true, description: 'The job that took its place, if one did.' }),
  }),
})

const JobConnection = builder.connectionObject(
  { type: Job, name: 'JobConnection', description: 'A page of jobs.' },
  { description: 'A job and its place in the list.' },
)

const JobFilter = builder.inputType('JobFilter', {
  description: 'Which jobs to list.',
  fields: (t) => ({
    queue: t.string({ description: 'Only those of this queue.' }),
    state: t.field({
      type: JobState,
      description: 'Only those in this state. Dead letters are listed with DEAD, or under the name of their queue.',
    }),
  }),
})

const byNewest = {
  name: 'jobs.NEWEST',
  form: z.tuple([idPart, uuidPart]),
  key: ({ place, id }: QueuedJob): [bigint, string] => [place, id],
}

builder.queryField('jobs', (t) =>
  t.field({
    type: JobConnection,
    description: 'Jobs, newest first. Those that ended are kept for as long as their queue says.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: JobFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, { pool, now }) => {
      const at = now()
      const wanted: Filter = { queue: filter?.queue, state: filter?.state }
      return readPage(page, byNewest, {
        rows: (part) => readJobs(pool, wanted, at, part),
        count: () => countJobs(pool, wanted, at),
      })
    },
  }),
)

const jobArgs = builder.args((t) => ({
  queue: t.string({ required: true, description: 'The queue that it lies in.' }),
  id: t.id({ required: true, description: 'Its id.' }),
}))

/** The job as it stands after a change. */
export async function readJobBack({ queue, id }: JobPlace, { pool, now }: Context): Promise<QueuedJob> {
  const job = await findJob(pool, queue, id, now())
  if (!job) throw notFound('job', 'id')
  return job
}

builder.mutationFields((t) => ({
  retryJob: t.field({
    type: Job,
    description:
      'Asks for the work of a job that failed or was cancelled once more, or of a dead letter. Answers the new job, which gets a run of its own; the old one says `repeatedAs`.',
    authScopes: { operate: true },
    args: jobArgs,
    resolve: async (_root, place, context) => readJobBack(await retryJob(context.db, context.actor, place), context),
  }),
  cancelJob: t.field({
    type: Job,
    description:
      'Ends a job that waits or is at work; its run ends as FAILED with CANCELLED_BY_OPERATOR and is not counted. The handler at work is told within the heartbeat of its queue and can write nothing more. Dismisses a dead letter.',
    authScopes: { operate: true },
    args: jobArgs,
    resolve: async (_root, place, context) => {
      await cancelJob(context.db, context.actor, place, context)
      return readJobBack(place, context)
    },
  }),
}))
