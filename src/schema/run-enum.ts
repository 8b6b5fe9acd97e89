import type {
  RunEventKind as EventKind,
  RunStatus as Status,
  RunTrigger as Trigger,
} from '../db/generated/client/client.ts'
import { builder } from './builder.ts'

export const RunStatus = builder.enumType('RunStatus', {
  description: 'How a run stands. The two ends are final.',
  values: {
    RUNNING: { description: 'It goes on, or waits for its next attempt.' },
    SUCCEEDED: { description: 'It has ended well.' },
    FAILED: { description: 'It has ended badly; the error says why.' },
  } satisfies Record<Status, { description: string }>,
})
export const RunTrigger = builder.enumType('RunTrigger', {
  description: 'Why a run was started.',
  values: {
    SCHEDULED: { description: 'It was due.' },
    MANUAL: { description: 'An operator asked for it.' },
    MANUAL_PENDING: { description: 'An operator asked for it while another run was at work.' },
    ADMIN_TEST: { description: 'A test; it counts in nothing.' },
    ROLLBACK: { description: 'An operator went back to an earlier run.' },
  } satisfies Record<Trigger, { description: string }>,
})
export const RunEventKind = builder.enumType('RunEventKind', {
  description: 'What an event of a run tells.',
  values: {
    STARTED: { description: 'The run has begun.' },
    RESTARTED: { description: 'An attempt was lost, the next one began from scratch; counters are back at zero.' },
    STAGE: { description: 'A new stage has begun.' },
    PROGRESS: { description: 'The counters have grown; at most every 250 ms.' },
    SUCCEEDED: { description: 'The run has ended well. Nothing follows.' },
    FAILED: { description: 'The run has ended badly. Nothing follows.' },
  } satisfies Record<EventKind, { description: string }>,
})
