import { randomUUID } from 'node:crypto'
import { encodeId } from '../../../src/schema/global-id.ts'
import { aSchedule, insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations, type Table } from './operation.ts'

export type ScheduleFixture = { Schedule: string; ScheduleRun: string }

export const tables = { Schedule: ['freshet.schedules', 'id'] } satisfies Record<string, Table>

/** A schedule with a run that failed. */
export const make: Make<object, ScheduleFixture> = async (pool, { mark }) => {
  const schedule = await aSchedule(pool, { name: mark, kind: mark, queue: 'maintenance', cron: '0 4 * * *' })
  const run = { schedule_id: schedule, job_id: randomUUID(), started_at: new Date(), error: mark }
  return {
    Schedule: encodeId('Schedule', schedule),
    ScheduleRun: encodeId('ScheduleRun', await insertRow(pool, 'schedule_runs', run)),
  }
}

export const operations: Operations<Mark & ScheduleFixture> = {
  'Query.schedules': {
    scope: 'OPERATE',
    document: '{ schedules { driver lastTickAt lagSeconds totalCount nodes { id history { nodes { error } } } } }',
  },
  'Mutation.updateSchedule': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateScheduleInput!) { updateSchedule(input: $input) { id } }',
    variables: ({ Schedule }) => ({ input: { id: Schedule, cron: '30 4 * * *', enabled: true } }),
    recorded: ({ Schedule }) => ({
      action: 'UPDATE_SCHEDULE',
      objectType: 'Schedule',
      objectId: numberOf(Schedule),
      changes: { cron: { from: '0 4 * * *', to: '30 4 * * *' } },
    }),
    repeated: 'same',
  },
  'Mutation.runSchedule': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { runSchedule(id: $id) { id queue } }',
    variables: ({ Schedule }) => ({ id: Schedule }),
    recorded: ({ Schedule }, { id }) => ({
      action: 'RUN_SCHEDULE',
      objectType: 'Schedule',
      objectId: numberOf(Schedule),
      changes: { queue: { to: 'maintenance' }, job: { to: id } },
    }),
    repeated: 'new',
  },
}
