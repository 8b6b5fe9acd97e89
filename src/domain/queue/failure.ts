import { ExpectedError } from '../../expected-error.ts'
import { reason, scrub } from '../../log.ts'
import type { FailureCode } from '../failure-codes.ts'
import { cleanText } from '../text.ts'
import { JobError } from './job-error.ts'

/** What an attempt failed with, as it is kept with its job; `isCounted` only where its run's end does not count. */
export type JobFailure = { code: string; message: string; hint: string | null; isCounted?: false }

type Kept = Partial<Record<keyof JobFailure | 'attempts' | 'value', unknown>> & { snoozed?: string; cancelled?: string }

const ourCodes = /^[A-Z][A-Z0-9_]{2,59}$/
/** What Postgres and Prisma call their errors: P0001, 23505, P2002. */
const databaseCodes = /^(?=.*\d)[A-Z0-9]{5}$/
const lost = /heartbeat/
const late = /timed out|timeout/

/** A text fit to be kept: without secrets, of bounded length, and such that Postgres takes it. */
export const keptText = (text: string): string => cleanText(scrub(text))

/** What a thrown error says, fit to be kept; its stack goes to the log. */
export function failureOf(error: unknown): JobFailure {
  const hint: unknown = error instanceof ExpectedError ? error.hint : undefined
  const counting = uncounted(error instanceof JobError && !error.isCounted)
  return { code: codeOf(error), message: keptText(reason(error)), hint: keptHint(hint), ...counting }
}

const uncounted = (isSo: boolean): Pick<JobFailure, 'isCounted'> => (isSo ? { isCounted: false } : {})

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return 'UNEXPECTED_ERROR'
  if (databaseCodes.test(code) && !(error instanceof ExpectedError)) return 'DATABASE_ERROR'
  return ourCodes.test(code) ? code : 'UNEXPECTED_ERROR'
}

/** Reads what is kept as a failure, the kit's or pg-boss's own (which stands under `value`); nothing if it tells of none. */
export function readFailure(output: unknown): JobFailure | undefined {
  const kept = objectOf(output)
  const { code, message, hint, isCounted } =
    typeof kept.value === 'string' ? { message: kept.value } : { ...kept, ...objectOf(kept.value) }
  if (typeof message !== 'string') return undefined
  const found: FailureCode = lost.test(message)
    ? 'WORKER_LOST'
    : late.test(message)
      ? 'JOB_TIMED_OUT'
      : 'UNEXPECTED_ERROR'
  const failure = { code: typeof code === 'string' ? code : found, message: keptText(message), hint: keptHint(hint) }
  return { ...failure, ...uncounted(isCounted === false) }
}

const keptHint = (hint: unknown) => (typeof hint === 'string' && hint !== '' ? keptText(hint) : null)

/** How many attempts a failed job had, where the kit itself ended it. */
export function readAttempts(output: unknown): number | undefined {
  const { attempts } = objectOf(output)
  return typeof attempts === 'number' ? attempts : undefined
}

/** Why a job was put back or cancelled, where that was no failure. */
export function readNote(output: unknown): string | undefined {
  const { snoozed, cancelled } = objectOf(output)
  const note = snoozed ?? cancelled
  return typeof note === 'string' ? keptText(note) : undefined
}

/** The job that took the place of this one. */
export function readRepeatedAs(output: unknown): string | undefined {
  const { repeatedAs } = objectOf(output) as { repeatedAs?: unknown }
  return typeof repeatedAs === 'string' ? repeatedAs : undefined
}

const objectOf = (value: unknown): Kept =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
