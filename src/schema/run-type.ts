import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { loadRun } from './load-run.ts'
import { RunError } from './run-error.ts'
import { RunEvent } from './run-event.ts'
import { RunStatus, RunTrigger } from './run-enum.ts'
import { RunKind, runTypes, typeOfRun, whereRun, type RunTypeName } from './run-kind.ts'
import { readRunErrors, readRunEvents } from './run-page.ts'

const RunEventConnection = builder.connectionObject(
  { type: RunEvent, name: 'RunEventConnection', description: 'A page of the events of a run.' },
  { description: 'An event and its place in the story.' },
)
const RunErrorConnection = builder.connectionObject(
  { type: RunError, name: 'RunErrorConnection', description: 'A page of the errors sampled in a run.' },
  { description: 'An error and its place in the list.' },
)

/** What runs of all kinds share. */
export const Run = builder.prismaInterface('Run', {
  name: 'Run',
  description: 'One execution of anything: who asked for it, how far it is, how it ended.',
  authScopes: { operate: true },
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: ({ kind }) => typeOfRun(kind),
  fields: (t) => ({
    kind: t.expose('kind', { type: RunKind, description: 'What it does.' }),
    status: t.expose('status', { type: RunStatus, description: 'How it stands.' }),
    trigger: t.expose('trigger', { type: RunTrigger, description: 'Why it was started.' }),
    stage: t.exposeString('stage', { nullable: true, description: 'The stage it is in, or ended in.' }),
    counters: t.expose('counters', {
      type: 'JSON',
      description: 'What it has counted so far, as an object of numbers.',
    }),
    attempt: t.exposeInt('attempt', { description: 'Which attempt this is, from 1. Each begins from scratch.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When its first attempt began.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last showed a sign of life.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    durationMs: t.float({
      nullable: true,
      description: 'From the first start to the end, in milliseconds; null while it is running.',
      select: { startedAt: true, finishedAt: true },
      resolve: ({ startedAt, finishedAt }) => (finishedAt ? finishedAt.getTime() - startedAt.getTime() : null),
    }),
    isCounted: t.exposeBoolean('isCounted', {
      description: 'Whether its failure says anything about the source. Tests and cancelled runs do not.',
    }),
    errorCode: t.exposeString('errorCode', { nullable: true, description: 'Why it failed, for programs.' }),
    errorMessage: t.exposeString('errorMessage', { nullable: true, description: 'Why it failed, for people.' }),
    errorHint: t.exposeString('errorHint', { nullable: true, description: 'What to do about it.' }),
    errorCount: t.exposeInt('errorCount', { description: 'How many rows or items went wrong, sampled or not.' }),
    jobId: t.exposeString('jobId', { nullable: true, description: 'The job that it belongs to, as in `jobs`.' }),
    source: t.relation('source', { nullable: true, description: 'What it is for; null: no single source.' }),
    errorTotals: t.relation('errorTotals', {
      description: 'How often each thing went wrong, by code; at most 100 codes.',
      query: { orderBy: { code: 'asc' }, take: 100 },
    }),
    errors: t.field({
      type: RunErrorConnection,
      description: 'Samples of what went wrong, at most 100 of each code, oldest first. They are kept for 30 days.',
      complexity: pageComplexity,
      args: { ...pageArgs, code: t.arg.string({ description: 'Only those with this code.' }) },
      select: { id: true },
      resolve: ({ id }, args, context) => readRunErrors(id, args, context),
    }),
    eventCount: t.exposeInt('eventCount', { description: 'The number of its last event.' }),
    events: t.field({
      type: RunEventConnection,
      description: 'Its story so far, oldest first. Events are kept for 30 days. `runProgress` goes on from there.',
      complexity: pageComplexity,
      args: pageArgs,
      select: { id: true },
      resolve: ({ id }, args, context) => readRunEvents(id, args, context),
    }),
  }),
})

const runNode = (typename: RunTypeName) =>
  builder.prismaNode('Run', {
    variant: typename,
    description: runTypes[typename],
    interfaces: [Run],
    authScopes: { operate: true },
    id: { field: 'id', description: 'The global id.' },
    nullable: true,
    findUnique: (id) => whereRun({ typename, id }),
  })

/** What the runs of feeds have beside is in `feed-run.ts`. */
export const FeedRun = runNode('FeedRun')

/** The node of each type of runs; until one gets fields of its own they differ in name and kinds alone. */
export const runNodes = [FeedRun, runNode('ScrapeRun'), runNode('CrawlRun'), runNode('VerificationRun')]

builder.objectField(RunEvent, 'run', (t) =>
  t.field({
    type: Run,
    description: 'The run as it is now; costs a look-up.',
    resolve: ({ runId }, _args, context) => loadRun(runId, context),
  }),
)
