import { feedCodes } from './feed-codes.ts'
import { rowCodes } from './row-codes.ts'

/**
 * Every code that a job or a run of ours may fail with, and what went wrong with a single row or item: what it means, and what
 * to do where the failure itself does not say. A code is never renamed, and never reused for something else. What a request is
 * refused with, too, has one entry, in `error-codes.ts`, and stands here as `CODE: errorCodes.CODE`. `docs/errors.md` is made
 * from this.
 */
export const failureCodes = {
  JOB_PAYLOAD_INVALID: {
    meaning: 'What the job carries is not what this program’s queue takes.',
    hint: 'Enqueue the job again with the payload that the queue takes now.',
  },
  JOB_TIMED_OUT: {
    meaning: 'An attempt took longer than its queue allows.',
    hint: 'Look for what it waits for in the log of its job.',
  },
  WORKER_LOST: {
    meaning: 'The process of the last attempt died.',
    hint: 'Look for the reason of the kernel or the container at that time.',
  },
  WORKER_STOPPING: {
    meaning: 'The process stops; the job was handed back and has lost no attempt.',
    hint: 'There is nothing to do.',
  },
  DATABASE_ERROR: {
    meaning: 'Postgres refused or undid what was written.',
    hint: 'The message says what; the stack is in the log, under the jobId.',
  },
  UNEXPECTED_ERROR: {
    meaning: 'Something happened that the code did not foresee.',
    hint: 'The stack is in the log, under the jobId.',
  },
  CANCELLED: {
    meaning: 'The run was not wanted any more. It does not count.',
    hint: 'There is nothing to do.',
  },
  CANCELLED_BY_OPERATOR: {
    meaning: 'An operator cancelled the job. Its run does not count.',
    hint: 'Start it again when it is wanted.',
  },
  RUN_CONNECTION_LOST: {
    meaning: 'The connection that the run writes on was lost; what was not committed is undone.',
    hint: 'The run is tried again from scratch. If this goes on, look at the log of Postgres and at the network.',
  },
  RUN_REAPED: {
    meaning: 'The run stopped without an end, and no job was left to go on with it.',
    hint: 'Look at the log of the workers at that time (memory, kills), then start the run again.',
  },
  SLACK_WEBHOOK_GONE: {
    meaning: 'Slack answered 403, 404 or 410: the webhook was revoked, or its channel archived.',
    hint: 'Make a new incoming webhook in Slack for a channel that is not archived, set SLACK_WEBHOOK_URL to it and restart the workers. What waits is delivered then.',
  },
  SLACK_REDIRECTED: {
    meaning: 'The address of the webhook answers with a redirect.',
    hint: 'Set SLACK_WEBHOOK_URL to the address that Slack shows for the webhook, https included.',
  },
  SLACK_REFUSED: {
    meaning: 'Slack answered another 4xx.',
    hint: 'Check that SLACK_WEBHOOK_URL is an incoming webhook of Slack; if it is, report the message as a fault.',
  },
  SLACK_UNAVAILABLE: {
    meaning: 'Slack was not reached, was too slow (10 s), or answered 5xx.',
    hint: 'It is tried again. If it stays, see whether this host can reach Slack.',
  },
  ...feedCodes,
  ...rowCodes,
} as const satisfies Record<string, { meaning: string; hint: string }>

export type FailureCode = keyof typeof failureCodes
