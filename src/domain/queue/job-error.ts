import { ExpectedError } from '../../expected-error.ts'
import { failureCodes, type FailureCode } from '../failure-codes.ts'

/** Thrown by a job that has nothing to do after all: no retry, no failure. */
export class CancelJob extends Error {
  override name = 'CancelJob'
}

/** Thrown by a job that must wait: it is put back and costs no attempt. */
export class SnoozeJob extends Error {
  override name = 'SnoozeJob'
  readonly seconds: number

  constructor(seconds: number, reason: string) {
    super(reason)
    this.seconds = seconds
  }
}

type Details = {
  code: FailureCode
  hint?: string | undefined
  cause?: unknown
  /** Whether the end of its run says anything about the health of what it was for. It does, unless this is false. */
  isCounted?: boolean
}

/** Thrown by a job that failed and may be tried again. Without a hint of its own it has that of its code. */
export class JobError extends ExpectedError<FailureCode> {
  readonly isCounted: boolean

  constructor(message: string, { code, hint = failureCodes[code].hint, cause, isCounted = true }: Details) {
    super(code, message, { hint, cause })
    this.isCounted = isCounted
  }
}

/** Thrown by a job that no retry can help: the last failure at once, with what to mend. */
export class PermanentError extends JobError {}
