import { z } from 'zod'
import { allRuns, watchRun, watchRuns, type RunState as State } from '../domain/runs/event-stream.ts'
import { openStream } from '../domain/stream.ts'
import { builder } from './builder.ts'
import { decodeCursor, idPart, ofStream } from './cursor.ts'
import { rowId } from './global-id.ts'
import { KeepAlive } from './keep-alive.ts'
import { RunEvent } from './run-event.ts'
import { RunEventKind, RunTrigger } from './run-enum.ts'
import { RunKind, whereRun } from './run-kind.ts'
import { Run, runNodes } from './run-type.ts'
import { Source } from './source-type.ts'
import { StreamStart } from './stream-start.ts'

const RunState = builder.objectRef<State>('RunState').implement({
  description: 'A run as it stands when a subscription begins. Events follow from there.',
  fields: (t) => ({
    run: t.field({ type: Run, description: 'The run.', resolve: ({ run }) => run }),
    number: t.exposeInt('number', { description: 'The number of its last event.' }),
  }),
})

const RunProgressMessage = builder.unionType('RunProgressMessage', {
  description: 'What `runProgress` sends.',
  types: [RunState, RunEvent, KeepAlive],
  resolveType: ({ type }) => type,
})
const RunEventsMessage = builder.unionType('RunEventsMessage', {
  description: 'What `runEvents` sends.',
  types: [StreamStart, RunEvent, KeepAlive],
  resolveType: ({ type }) => type,
})

const RunEventFilter = builder.inputType('RunEventFilter', {
  description: 'Which events to send.',
  fields: (t) => ({
    runKinds: t.field({ type: [RunKind], description: 'Only those of runs of these kinds.' }),
    kinds: t.field({ type: [RunEventKind], description: 'Only those that tell this.' }),
    trigger: t.field({ type: RunTrigger, description: 'Only those of runs started for this reason.' }),
    sourceId: t.globalID({ for: Source, description: 'Only those of runs for this source.' }),
  }),
})

builder.subscriptionFields((t) => ({
  runProgress: t.field({
    type: RunProgressMessage,
    description:
      'How a run goes on: its present state first, then every later event, and the end when the run ends. A quiet stream sends KeepAlive every 15 s.',
    authScopes: { operate: true },
    args: {
      runId: t.arg.globalID({ required: true, for: runNodes, description: 'Which run.' }),
      after: t.arg.int({
        description: 'The `number` of the last event seen: those behind it are sent, however long ago they happened.',
      }),
    },
    subscribe: (_root, { runId, after }, { db, pool, eventHub: hub, now }) =>
      openStream((signal) => watchRun({ db, pool, hub, now, signal }, whereRun(runId), after ?? undefined)),
    resolve: (message) => message,
  }),
  runEvents: t.field({
    type: RunEventsMessage,
    description:
      'The events of all runs. Positions are given after commit: whoever resumes behind the last cursor seen misses nothing and gets nothing twice. A quiet stream sends KeepAlive every 15 s.',
    authScopes: { operate: true },
    args: {
      filter: t.arg({ type: RunEventFilter, description: 'Which ones; all if not given.' }),
      after: t.arg.string({ description: 'The `cursor` of the last event seen; without it the stream begins now.' }),
    },
    subscribe: (_root, { filter, after }, { pool, eventHub: hub, now }) => {
      const [position] = typeof after === 'string' ? decodeCursor(allRuns, z.tuple([idPart]), after, ofStream) : []
      const wanted = {
        runKinds: filter?.runKinds ? [...new Set(filter.runKinds)] : undefined,
        kinds: filter?.kinds ? [...new Set(filter.kinds)] : undefined,
        trigger: filter?.trigger ?? undefined,
        sourceId: rowId(filter?.sourceId),
      }
      return openStream((signal) => watchRuns({ pool, hub, now, signal }, wanted, position))
    },
    resolve: (message) => message,
  }),
}))
