export type ErrorDetails<Problem extends object = object> = {
  hint?: string | undefined
  problems?: Problem[]
  cause?: unknown
}

/**
 * A failure that its reader can do something about: the code is stable, the message says what is wrong and the hint what
 * to do; `problems` are its parts, where it has several. Anything else that is thrown is a fault of ours.
 */
export class ExpectedError<Code extends string = string, Problem extends object = object> extends Error {
  readonly code: Code
  readonly hint: string | undefined
  readonly problems: Problem[]

  constructor(code: Code, message: string, { hint, problems = [], cause }: ErrorDetails<Problem> = {}) {
    super(message, { cause })
    this.name = new.target.name
    this.code = code
    this.hint = hint
    this.problems = problems
  }
}
