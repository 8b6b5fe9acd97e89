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

/** All problems of one input as one error. */
export function badInput(problems: Problem[]): DomainError {
  const lines = problems.map(({ field, message }) => `${field}: ${message}`)
  const head = lines.length === 1 ? [] : [`The input has ${lines.length} problems:`]
  return new DomainError('BAD_USER_INPUT', [...head, ...lines].join('\n'), { problems })
}

/** Throws what was found; it returns when there was nothing. */
export function refuse(problems: Problem[]): void {
  if (problems.length > 0) throw badInput(problems)
}

export function notFound(type: string, field: string): DomainError {
  return new DomainError('NOT_FOUND', `There is no such ${type}.`, { field })
}
