import { readQuery } from '../../db/query.ts'
import type { RunConnection } from '../../db/run-lock.ts'
import { queryRows, type Connection } from '../../db/sql.ts'
import { transact } from '../../db/transaction.ts'
import { addLogFields, scrub } from '../../log.ts'
import { keptText } from '../queue/failure.ts'
import { cleanJson, cleanOutput, cleanText } from '../text.ts'
import type { RunServices } from './run.ts'

/** Something that was wrong with one row or item. */
export type RunErrorSample = {
  code: string
  message: string
  line?: number | null
  item?: string | null
  details?: object | undefined
}

/** What was wrong with many rows: notes are among the totals, and are no errors. */
export type RunErrors = { samples: RunErrorSample[]; totals: Partial<Record<string, number>>; errorCount: number }

/** What the work of a run is given. All of it goes over one connection; there is no other that it may write on. */
export type RunContext = {
  readonly runId: string
  /** From 1. Every write is refused once a later attempt has begun. */
  readonly attempt: number
  readonly sql: Connection
  /** Aborted when the connection is lost or the job was taken away: stop at once. */
  readonly signal: AbortSignal
  /** Says which stage is reached, and commits that at once: call it before the stage's own transaction begins. */
  stage(name: string): Promise<void>
  /** Adds to the counters. In a transaction, they count when it commits. */
  progress(counters: Record<string, number>): Promise<void>
  /** Counts an error; the first 100 of a code are kept in full. */
  sampleError(error: RunErrorSample): Promise<void>
  /** The same for many at once: how many there were of each code, and some of them. Only `errorCount` of them count. */
  sampleErrors(errors: RunErrors): Promise<void>
  /** Runs `work` in a transaction of the run's connection; there is none inside another. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** Ends the run well inside the present transaction, for work whose result and end must be one. Others just return. */
  finish(): Promise<void>
}

type Attempt = { runId: string; attempt: number }

const sampleError = readQuery('sample_run_error')
const sampleErrors = readQuery('sample_run_errors')

/** The hands of one attempt at a run. */
export function runContext(
  { client, signal }: RunConnection,
  { runId, attempt }: Attempt,
  now: RunServices['now'],
): RunContext {
  const owner = [runId, attempt]
  const write = async (statement: string, ...values: unknown[]) => {
    await queryRows(client, statement, [...owner, ...values])
  }
  return {
    runId,
    attempt,
    sql: client,
    signal,
    async stage(name) {
      if (client.getTransactionStatus() !== 'I')
        throw new Error(`The stage ${name} begins inside a transaction, so nobody would see it: begin the stage first.`)
      addLogFields({ stage: name })
      await write('select freshet.set_run_stage($1, $2, $3, $4)', cleanText(name), now())
    },
    progress: (counters) => write('select freshet.add_run_progress($1, $2, $3, $4)', cleanJson(counters), now()),
    sampleError: ({ code, message, line = null, item = null, details = {} }) => {
      const rest = scrub(cleanJson(cleanOutput(details)))
      return write(sampleError, cleanText(code), keptText(message), now(), line, item && keptText(item), rest)
    },
    sampleErrors: ({ samples, totals, errorCount }) => {
      const kept = samples.map(({ message, item, ...rest }) => ({
        ...rest,
        message: keptText(message),
        item: item ? keptText(item) : null,
      }))
      return write(sampleErrors, scrub(cleanJson(kept)), JSON.stringify(totals), errorCount, now())
    },
    transaction: (work) => transact(client, work),
    finish: () => write('select freshet.finish_run($1, $2, $3)', now()),
  }
}
