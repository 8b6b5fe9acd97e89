import { ExpectedError, type ErrorDetails } from '../expected-error.ts'

/** A command that failed for a reason the user can do something about. */
export class CommandError extends ExpectedError {}

/** A command that was called the wrong way. */
export class UsageError extends CommandError {
  constructor(message: string, details?: ErrorDetails) {
    super('WRONG_USAGE', message, details)
  }
}
