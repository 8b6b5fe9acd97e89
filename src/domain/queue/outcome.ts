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
export class PermanentError extends Error {
  override name = 'PermanentError'
  readonly code: string
  readonly hint: string | undefined

  constructor(message: string, { code, hint, cause }: Details) {
    super(message, { cause })
    this.code = code
    this.hint = hint
  }
}
