import type { Prisma } from '../db/generated/client/client.ts'
import type { Pool } from '../db/pool.ts'
import { readClock, type ClockState } from '../domain/schedules/clock.ts'
import { runSchedule, updateSchedule } from '../domain/schedules/schedule.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { rowId } from './global-id.ts'
import { Job, readJobBack } from './job.ts'
import { byName, byNewest, nodeQuery, readModelPage } from './model-page.ts'
import { readBack } from './read-back.ts'

const ScheduleOutcome = builder.enumType('ScheduleOutcome', {
  description: 'How a run of a schedule ended.',
  values: { SUCCEEDED: { description: 'All of it was done.' }, FAILED: { description: 'It met an error.' } } as const,
})

const ScheduleRun = builder.prismaNode('ScheduleRun', {
  description: 'One run of a schedule that keeps a history, as maintenance does.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    jobId: t.exposeString('jobId', { description: 'The job that did it.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null: it has not.',
    }),
    outcome: t.field({
      type: ScheduleOutcome,
      nullable: true,
      description: 'How it ended; null: it has not.',
      resolve: ({ outcome }) => outcome as 'SUCCEEDED' | 'FAILED' | null,
    }),
    rowsTouched: t.float({
      nullable: true,
      description: 'How many rows it changed or deleted; null: it has not ended.',
      resolve: ({ rowsTouched }) => (rowsTouched === null ? null : Number(rowsTouched)),
    }),
    error: t.exposeString('error', { nullable: true, description: 'What went wrong.' }),
  }),
})

const ScheduleRunConnection = builder.connectionObject(
  { type: ScheduleRun, name: 'ScheduleRunConnection', description: "A page of a schedule's history." },
  { description: 'A run and its place in the history.' },
)

const lastEnded = {
  runs: { select: { outcome: true }, where: { outcome: { not: null } }, orderBy: { id: 'desc' }, take: 1 },
} as const satisfies Prisma.ScheduleSelect

const Schedule = builder.prismaNode('Schedule', {
  description: 'Something that happens by the clock.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, unique.' }),
    kind: t.exposeString('kind', { description: 'What sort of thing, as maintenance.' }),
    queue: t.exposeString('queue', { description: 'The queue that its jobs go into.' }),
    cron: t.exposeString('cron', {
      nullable: true,
      description: 'Its times as a cron expression of five fields; null: it goes by a period.',
    }),
    timeZone: t.exposeString('timeZone', { description: 'The time zone of the cron expression, as Europe/Vienna.' }),
    periodSeconds: t.exposeInt('periodSeconds', {
      nullable: true,
      description: 'Its period; null: it goes by a cron expression.',
    }),
    enabled: t.exposeBoolean('isEnabled', { description: 'Whether it runs by itself.' }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why the clock disabled it; null: it did not.',
    }),
    nextRunAt: t.expose('nextRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is due next; null while it is disabled, or before the clock first saw it.',
    }),
    lastRunAt: t.expose('lastRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its last job was put into the queue, which need not have begun; null: never.',
    }),
    lastOutcome: t.field({
      type: ScheduleOutcome,
      nullable: true,
      description: 'How its last run ended; null: none has, or it keeps no history.',
      select: lastEnded,
      resolve: ({ runs }) => (runs[0]?.outcome ?? null) as 'SUCCEEDED' | 'FAILED' | null,
    }),
    history: t.field({
      type: ScheduleRunConnection,
      description: 'Its runs of the last 30 days, newest first.',
      complexity: pageComplexity,
      args: pageArgs,
      resolve: ({ id }, page, context, info) => {
        const where: Prisma.ScheduleRunWhereInput = { scheduleId: id }
        return readModelPage(page, byNewest('history'), context.db.scheduleRun, { where, ...nodeQuery(context, info) })
      },
    }),
  }),
})

/** The clock as it was when a page was asked for: read once, however many fields ask. */
const clocks = new WeakMap<object, Promise<ClockState>>()
function clockOf(page: object, pool: Pool): Promise<ClockState> {
  const clock = clocks.get(page) ?? readClock(pool)
  clocks.set(page, clock)
  return clock
}

const ScheduleConnection = builder.connectionObject(
  {
    type: Schedule,
    name: 'ScheduleConnection',
    description: 'A page of schedules, and the clock that drives them.',
    fields: (t) => ({
      driver: t.string({
        nullable: true,
        description: 'Who drives the clock: pg_cron, or a worker by host and process; null: nobody has yet.',
        resolve: async (page, _args, { pool }) => (await clockOf(page, pool)).driver,
      }),
      lastTickAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the clock last ticked.',
        resolve: async (page, _args, { pool }) => (await clockOf(page, pool)).lastTickAt,
      }),
      leaseUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Until when its driver has the clock to itself.',
        resolve: async (page, _args, { pool }) => (await clockOf(page, pool)).leaseUntil,
      }),
      lagSeconds: t.float({
        nullable: true,
        description: 'Seconds since the last tick, by the clock of the database; null: there was none.',
        resolve: async (page, _args, { pool }) => (await clockOf(page, pool)).lagSeconds,
      }),
      isLate: t.boolean({
        description: 'Whether the clock stands still: no tick for more than 165 s.',
        resolve: async (page, _args, { pool }) => (await clockOf(page, pool)).isLate,
      }),
    }),
  },
  { description: 'A schedule and its place in the list.' },
)

const ScheduleFilter = builder.inputType('ScheduleFilter', {
  description: 'Which schedules to list.',
  fields: (t) => ({
    kind: t.string({ description: 'Only this kind, as maintenance.' }),
    enabled: t.boolean({ description: 'Only those that run by themselves, or only those that do not.' }),
  }),
})

builder.queryField('schedules', (t) =>
  t.field({
    type: ScheduleConnection,
    description: 'What happens by the clock, by name, and who drives it.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: ScheduleFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, context, info) => {
      const where: Prisma.ScheduleWhereInput = {
        kind: filter?.kind ?? undefined,
        isEnabled: filter?.enabled ?? undefined,
      }
      return readModelPage(page, byName('schedules'), context.db.schedule, { where, ...nodeQuery(context, info) })
    },
  }),
)

const UpdateScheduleInput = builder.inputType('UpdateScheduleInput', {
  description: 'Changes to a schedule. What is left out stays as it is.',
  fields: (t) => ({
    id: t.globalID({ required: true, for: Schedule, description: 'Which schedule.' }),
    enabled: t.boolean({ description: 'Whether it runs by itself.' }),
    cron: t.string({ description: 'Five fields, as 30 4 * * *, or @hourly and the like; at most 200 characters.' }),
    timeZone: t.string({ description: 'An IANA time zone, as Europe/Vienna; at most 100 characters.' }),
    periodSeconds: t.int({ description: 'A fixed period instead of a cron expression: 60 to 31536000.' }),
  }),
})

builder.mutationFields((t) => ({
  updateSchedule: t.prismaField({
    type: Schedule,
    description:
      'Enables or disables a schedule, or changes its times; when it is due next follows from them. One that belongs to a feed or the like is refused: what it belongs to sets it.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: UpdateScheduleInput, required: true, description: 'The changes.' }) },
    resolve: (query, _root, { input: { id, ...changes } }, { db, actor }) =>
      readBack(db.schedule, query, updateSchedule(db, actor, rowId(id), changes)),
  }),
  runSchedule: t.field({
    type: Job,
    description:
      'Runs a schedule now, disabled or not; its own times stay as they are. Answers its job: while one waits or runs, a queue that takes one job a schedule, as maintenance, gets no second, and that one is the answer. One that belongs to a feed or the like is refused: what it belongs to is run instead.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Schedule, description: 'Which schedule.' }) },
    resolve: async (_root, { id }, context) =>
      readJobBack(await runSchedule(context.db, context.actor, rowId(id)), context),
  }),
}))
