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
  ...rowCodes,
  FILE_TRUNCATED: {
    meaning: 'The compressed file of a feed ends too early: it was cut on the way, or was not written to its end yet.',
    hint: 'It is tried again. If it stays, download the file by hand: if it cannot be unpacked either, tell its network.',
  },
  FILE_CORRUPT: {
    meaning: 'The compressed file of a feed is damaged: its data or its checksum is wrong.',
    hint: 'It is tried again. If it stays, download the file by hand: if it cannot be unpacked either, tell its network.',
  },
  FILE_EXPANSION_LIMIT_EXCEEDED: {
    meaning: 'The file of a feed unpacks to more than is allowed.',
    hint: 'Unpack the file by hand. If it is a catalogue and no bomb, allow the feed larger files.',
  },
  FILE_ARCHIVE_REFUSED: {
    meaning: 'The zip archive of a feed does not hold exactly one file that can be read.',
    hint: 'Ask the network for gzip, or for a zip archive with one file, packed by deflate and not encrypted.',
  },
  FILE_NOT_UTF8: {
    meaning: 'Some bytes of a feed’s file are not valid UTF-8. They were read as Windows-1252, and the run went on.',
    hint: 'Look at the rows around that byte; where letters are wrong, ask the network for UTF-8.',
  },
  FEED_EMPTY: {
    meaning: 'The file of a feed has no text in it, not even a header.',
    hint: 'Look at the file on its server. What the last good run brought stays until it expires.',
  },
  FEED_NOT_CSV: {
    meaning: 'The file of a feed is no table of rows: an error page, XML, JSON or something else.',
    hint: 'Look at the file on its server, and check the path of the feed.',
  },
  FEED_HEADER_UNUSABLE: {
    meaning: 'The first row of a feed’s file does not name its columns.',
    hint: 'Check delimiter and quoting of the feed; ask the network for a file with a header.',
  },
  FEED_COLUMNS_MISSING: {
    meaning: 'The file of a feed lacks a column without which no row can become an offer: title, link or price.',
    hint: 'If another column tells it, name that in the feed’s columnMap; else check the dialect of the feed and the file.',
  },
  FEED_COLUMN_MAP_INVALID: {
    meaning: 'The columnMap of a feed names a field that does not exist, or a column that the file does not have.',
    hint: 'Mend the columnMap; testFeed shows the columns of the file.',
  },
  PARENT_ROW_SKIPPED: {
    meaning: 'A row stands for its variants and is itself not for sale. It was left out.',
    hint: 'There is nothing to do.',
  },
  ROW_COUNT_LIMIT_EXCEEDED: {
    meaning: 'The file of a feed has more rows than it may have.',
    hint: 'See whether it is the right file. If it is, raise the feed’s limit of rows.',
  },
  ROW_TOO_LONG: {
    meaning:
      'A row has more fields than the header has columns, so that its values may stand in wrong columns. It was left out.',
    hint: 'Look at the row: a delimiter in a text without quotes does this. If all rows are so, set the feed’s delimiter and quoting.',
  },
  ROW_TOO_LARGE: {
    meaning: 'A row has more characters than any product needs. It was left out.',
    hint: 'Look at the row in the file; the line ends behind it are missing.',
  },
  ROW_QUOTES_BROKEN: {
    meaning: 'A quote opens in a row that never closes, or closes in the middle of a field. The line was left out.',
    hint: 'Look at the line in the file. If quotes are letters there, as in 5" knife, set the feed’s quoting to NONE.',
  },
  ROW_HAS_NUL: {
    meaning: 'A row holds a NUL character, which no database takes. It was left out.',
    hint: 'Tell the network; its export is damaged there.',
  },
} as const satisfies Record<string, { meaning: string; hint: string }>

export type FailureCode = keyof typeof failureCodes
