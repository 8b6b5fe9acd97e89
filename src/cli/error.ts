export type CommandProblem = Record<string, unknown> & { message: string }

type Details = { hint?: string; problems?: CommandProblem[]; cause?: unknown }

/** A command that failed for a reason the user can do something about. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly code: string
  readonly hint: string | undefined
  readonly problems: CommandProblem[]

  constructor(code: string, message: string, { hint, problems = [], cause }: Details = {}) {
    super(message, { cause })
    this.code = code
    this.hint = hint
    this.problems = problems
  }
}

/** A command that was called the wrong way. */
export class UsageError extends CommandError {
  override name = 'UsageError'

  constructor(message: string, details: Details = {}) {
    super('WRONG_USAGE', message, details)
  }
}
