import type { AlertSeverity } from '../../db/generated/client/enums.ts'

type AlertKind = {
  /** How severe it is; where it climbs, from the mildest on. */
  severities: readonly AlertSeverity[]
  meaning: string
  advice: string
  /** When it ends by itself. */
  ends: string
}

/** Every kind of alert. SQL raises them (freshet.raise_alert); a kind is never renamed. `docs/alerts.md` is made from this. */
export const alertKinds = {
  CLOCK_LATE: {
    severities: ['P1'],
    meaning: 'No tick for 165 s: nothing that is scheduled runs.',
    advice: 'Start a worker; see [When the clock stops](operations.md#when-the-clock-stops).',
    ends: 'at the next tick',
  },
  CLOCK_TAKEN_OVER: {
    severities: ['P2'],
    meaning: 'pg_cron stopped calling, a worker drives instead. Nothing is lost.',
    advice: 'Look at pg_cron: `freshet doctor`, `cron.job_run_details`.',
    ends: 'when pg_cron calls again',
  },
  CLOCK_SET_BACK: {
    severities: ['P2'],
    meaning: 'The last tick lies more than a minute in the future.',
    advice: 'See that the host keeps its time (NTP). After more than an hour the schedules were planned anew.',
    ends: 'an hour later',
  },
  RUN_REAPED: {
    severities: ['P2'],
    meaning: 'A run stopped without an end, and no job was left to go on with it.',
    advice: 'Look at the workers’ log at the time in the details (memory, kills), then start the run again.',
    ends: 'when a run of that kind and source succeeds',
  },
  SCHEDULE_DISABLED: {
    severities: ['P2'],
    meaning: 'A schedule could not be enqueued and was taken out of the clock.',
    advice:
      'Read `disabledReason`, mend it (`updateSchedule`), then `updateSchedule(input: {id: …, enabled: true})`; one that belongs to a feed is mended and enabled with the feed.',
    ends: 'when it is enabled again',
  },
  FEED_RUN_FAILED: {
    severities: ['P2'],
    meaning: 'A run of a feed failed after all its attempts. What consumers see did not change.',
    advice: 'Read the code and the hint in the details; `testFeed` tries the connection and the first rows again.',
    ends: 'when a run of the feed succeeds',
  },
  FEED_AUTO_DISABLED: {
    severities: ['P1'],
    meaning: 'Three runs of a feed failed in a row; it runs no more.',
    advice: 'Mend what the last failure says, try it with `testFeed`, then `reenableFeed(id: …, acknowledge: true)`.',
    ends: 'when a run of the feed succeeds',
  },
  FEED_RUN_BLOCKED: {
    severities: ['P1'],
    meaning:
      'A run took its file in, but showing it would change too much at once. Consumers see what they saw before; where the feed holds removals alone, what arrived is shown and nothing vanishes.',
    advice:
      'Read `FeedRun.impact`, then `approveActivation` or `rejectActivation`; see [A blocked run](operations.md#a-blocked-run).',
    ends: 'when the run is decided, or a later run is promoted',
  },
  OFFERS_EXPIRING: {
    severities: ['P2', 'P1'],
    meaning:
      'Half (P2) or nine tenths (P1) of the time that offers last has passed without a promotion; or of the time that a block holds them.',
    advice: 'Look at the last runs of the feed: decide a blocked one, mend what fails, or enable the feed.',
    ends: 'when a run of the feed is promoted',
  },
} as const satisfies Record<string, AlertKind>
