import type { RunEventKind as EventKind, RunKind as Kind, RunStatus as Status } from '../db/generated/client/client.ts'
import type { RunTrigger as Trigger } from '../db/generated/client/client.ts'
import { builder } from './builder.ts'
import { rowId, type GlobalId } from './global-id.ts'

export const RunKind = builder.enumType('RunKind', {
  description: 'What a run does.',
  values: {
    FEED: { description: 'Takes in a file of an affiliate network.' },
    SCRAPE: { description: 'Visits known pages of shops.' },
    DISCOVERY: { description: 'Looks for new listings of a listing site.' },
    SWEEP: { description: 'Goes through all listings of a listing site.' },
    SNAPSHOT: { description: 'Takes a whole catalogue at once.' },
    VERIFICATION: { description: 'Looks whether listings are still there.' },
  } satisfies Record<Kind, { description: string }>,
})
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

/** The GraphQL type of a run of a kind. */
export const runTypes = {
  FEED: 'FeedRun',
  SCRAPE: 'ScrapeRun',
  DISCOVERY: 'CrawlRun',
  SWEEP: 'CrawlRun',
  SNAPSHOT: 'CrawlRun',
  VERIFICATION: 'VerificationRun',
} as const satisfies Record<Kind, string>

/** The run that a global id means: an id that names another type than the run has means none. */
export const whereRun = (run: GlobalId) => ({ id: rowId(run), kind: { in: kindsOf(run.typename) } })

const kindsOf = (typename: string) => (Object.keys(runTypes) as Kind[]).filter((kind) => runTypes[kind] === typename)
