import { paceOf, readStageStarts, type Pace, type Place } from '../domain/runs/pace.ts'
import { inBatches } from './batch.ts'
import { builder } from './builder.ts'
import { RunEvent } from './run-event.ts'
import { Run } from './run-type.ts'

const RunPace = builder.objectRef<Pace>('RunPace').implement({
  description: 'How fast the present stage of a run goes, and how long it may still take.',
  fields: (t) => ({
    bytes: t.exposeFloat('bytes', { description: 'How many bytes the stage has behind it.' }),
    totalBytes: t.exposeFloat('totalBytes', { nullable: true, description: 'Of how many; null: nobody knows.' }),
    bytesPerSecond: t.exposeFloat('bytesPerSecond', { description: 'The average since the stage began.' }),
    rows: t.exposeInt('rows', { nullable: true, description: 'How many rows were read; null: the stage reads none.' }),
    rowsPerSecond: t.exposeFloat('rowsPerSecond', {
      nullable: true,
      description: 'The average since the stage began; null: it reads none.',
    }),
    percent: t.exposeFloat('percent', { nullable: true, description: 'From 0 to 100; null: nobody knows.' }),
    secondsLeft: t.exposeFloat('secondsLeft', {
      nullable: true,
      description: 'What is left of the stage if it goes on like this; null: nobody knows.',
    }),
  }),
})

const loadStageStart = inBatches((places: readonly Place[], { pool }) => readStageStarts(pool, places))

builder.objectField(RunEvent, 'pace', (t) =>
  t.field({
    type: RunPace,
    nullable: true,
    description: 'How fast the run goes; null where its stage has no measure.',
    resolve: async (event, _args, context) => {
      const start = await loadStageStart(event, context)
      return start && paceOf(event, start)
    },
  }),
)

builder.prismaInterfaceField(Run, 'pace', (t) =>
  t.field({
    type: RunPace,
    nullable: true,
    description:
      'How fast its present stage goes, as of its last sign of life; null: it has ended, or the stage has no measure.',
    select: { id: true, status: true, stage: true, counters: true, updatedAt: true, eventCount: true },
    resolve: async ({ id, status, stage, counters, updatedAt, eventCount }, _args, context) => {
      if (status !== 'RUNNING') return null
      const start = await loadStageStart({ runId: id, number: eventCount }, context)
      return start && paceOf({ stage, counters, at: updatedAt }, start)
    },
  }),
)
