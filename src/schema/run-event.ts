import { allRuns } from '../domain/runs/event-stream.ts'
import type { RunEvent as Event } from '../domain/runs/event.ts'
import { builder } from './builder.ts'
import { encodeCursor } from './cursor.ts'
import { encodeId } from './global-id.ts'
import { RunEventKind, RunTrigger } from './run-enum.ts'
import { RunKind, typeOfRun } from './run-kind.ts'

/** One line of the story of a run, in a page or in a subscription. */
export const RunEvent = builder.objectRef<Event>('RunEvent').implement({
  description: 'One line of the story of a run, with the run’s stage and counters at that moment.',
  fields: (t) => ({
    runId: t.id({
      description: 'The global id of the run.',
      resolve: ({ runKind, runId }) => encodeId(typeOfRun(runKind), runId),
    }),
    runKind: t.expose('runKind', { type: RunKind, description: 'What the run does.' }),
    trigger: t.expose('trigger', { type: RunTrigger, description: 'Why the run was started.' }),
    sourceId: t.id({
      nullable: true,
      description: 'The global id of the source that the run is for; null: it is for none.',
      resolve: ({ sourceId }) => (sourceId === null ? null : encodeId('Source', sourceId)),
    }),
    number: t.exposeInt('number', {
      description: 'Counts the events of one run from 1 without a gap: pass the last one seen to `runProgress`.',
    }),
    cursor: t.string({
      nullable: true,
      description:
        'Its place among the events of all runs: pass the last one seen to `runEvents`. Null for the moment between commit and placing.',
      resolve: ({ position }) => (position === null ? null : encodeCursor(allRuns, [position])),
    }),
    kind: t.expose('kind', { type: RunEventKind, description: 'What it tells.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    attempt: t.exposeInt('attempt', { description: 'The attempt of the run, from 1.' }),
    stage: t.exposeString('stage', { nullable: true, description: 'The stage that the run was in.' }),
    counters: t.field({
      type: 'JSON',
      description: 'The run’s counters at that moment, as an object of numbers: totals, not steps.',
      resolve: ({ counters }) => counters,
    }),
    code: t.exposeString('code', { nullable: true, description: 'What went wrong, for programs.' }),
    message: t.exposeString('message', { nullable: true, description: 'What went wrong, for people.' }),
    mergedCount: t.exposeInt('mergedCount', {
      description:
        'How many earlier PROGRESS events of this run it stands for: 0, unless the subscriber was over 1,000 events behind.',
    }),
  }),
})
