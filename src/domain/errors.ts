import { ExpectedError, type ErrorDetails } from '../expected-error.ts'
import { errorCodes, type ErrorCode } from './error-codes.ts'

/**
 * One thing wrong with an input, and where: `field` is its path inside the arguments, as `input.name`. What lies in a list
 * also has its line and, where it is about one cell, the name of its column.
 */
export type Problem = { field: string; message: string; hint?: string; line?: number; column?: string }

type Details = ErrorDetails<Problem> & { field?: string }

/** A failure that a caller of the API is told about. Anything else that a request throws is masked and logged. */
export class DomainError extends ExpectedError<ErrorCode, Problem> {
  readonly field: string | undefined

  constructor(code: ErrorCode, message: string, { field, hint, problems, cause }: Details = {}) {
    const advice = hint ?? problems?.find((problem) => problem.hint)?.hint ?? errorCodes[code].hint
    super(code, message, { hint: advice, problems, cause })
    this.field = field ?? problems?.[0]?.field
  }
}

/** All problems of one input as one error. Call it with what was found; it returns when there was nothing. */
export function refuse(problems: Problem[]): void {
  if (problems.length === 0) return
  const message =
    problems.length === 1 && problems[0]
      ? `${problems[0].field}: ${problems[0].message}`
      : `The input has ${problems.length} problems:\n${problems.map((problem) => `${problem.field}: ${problem.message}`).join('\n')}`
  throw new DomainError('BAD_USER_INPUT', message, { problems })
}

export function notFound(type: string, field: string): DomainError {
  return new DomainError('NOT_FOUND', `There is no such ${type}.`, { field })
}
