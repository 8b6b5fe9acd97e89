import { ExpectedError } from '../../expected-error.ts'
import { reason } from '../../log.ts'
import { CancelJob, PermanentError } from '../queue/outcome.ts'

/** How a run ends badly: what happened, and what to do about it. One that is not counted says nothing about its source. */
export type RunFailure = { code: string; message: string; hint?: string | null | undefined; isCounted?: boolean }

const ourCodes = /^[A-Z][A-Z0-9_]{2,}$/

/** What to do where the failure itself does not say. */
export const tryAgain = 'See the log of this job. If what was wrong is over, start the run again.'

/** What a thrown error says about the end of its run. */
export function failureOf(error: unknown): RunFailure {
  if (error instanceof CancelJob)
    return { code: 'CANCELLED', message: error.message, hint: 'There is nothing to do.', isCounted: false }
  const message = reason(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const hint = error instanceof PermanentError || error instanceof ExpectedError ? error.hint : undefined
  return { code: ourCodes.test(code) ? code : 'UNEXPECTED_ERROR', message, hint }
}
