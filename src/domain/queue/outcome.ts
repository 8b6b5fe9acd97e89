import { ExpectedError } from '../../expected-error.ts'

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

type Details = { code: string; hint?: string | undefined; cause?: unknown }

/** Thrown by a job that no retry can help: the last failure at once, with what to mend. */
export class PermanentError extends ExpectedError {
  constructor(message: string, { code, ...details }: Details) {
    super(code, message, details)
  }
}
