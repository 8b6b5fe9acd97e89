import { ExpectedError } from '../../expected-error.ts'

/** The reasons why a database is not brought, or not found, at the state this program needs. */
export type MigrationErrorCode =
  | 'DATABASE_ACCESS_DENIED'
  | 'DATABASE_NEWER'
  | 'DATABASE_TOO_OLD'
  | 'MIGRATION_FAILED'
  | 'MIGRATIONS_OUT_OF_ORDER'
  | 'MIGRATIONS_PENDING'
  | 'SQL_FILES_INVALID'

/** Anything that keeps a database from being migrated; `code` is stable, the message says what to do. */
export class MigrationError extends ExpectedError<MigrationErrorCode> {}

/** One SQL file failed, and everything of its transaction was undone. */
export class MigrationFailedError extends MigrationError {
  readonly file: string
  readonly line: number | undefined

  constructor(file: string, line: number | undefined, reason: string, cause: unknown) {
    const place = line === undefined ? file : `${file}, line ${line}`
    super('MIGRATION_FAILED', `${place} failed: ${reason}\nNothing of it was kept. Mend the file and migrate again.`, {
      cause,
    })
    this.file = file
    this.line = line
  }
}

/** The role may not read or change what migrating needs. */
export const accessDenied = (reason: string, cause: unknown) =>
  new MigrationError(
    'DATABASE_ACCESS_DENIED',
    `The database refused: ${reason}. Migrate as the role that owns the schemas freshet and pgboss ("freshet migrate"), ` +
      `then give the role of the running program its rights with: select freshet.grant_runtime('<role>')`,
    { cause },
  )

/** What Postgres says about the statement that failed. */
export type StatementError = Error & {
  code: string
  detail?: string
  hint?: string
  position?: string
  internalPosition?: string
  internalQuery?: string
}

/** Whether an error came from a statement, not from the connection. */
export function isStatementError(error: unknown): error is StatementError {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string'
}

/** Turns what went wrong while a file was applied into an error that names the file and, where known, the line. */
export function failureOf(file: { path: string; text: string }, error: unknown): unknown {
  if (error instanceof MigrationError || !isStatementError(error)) return error
  if (error.code === '42501') return accessDenied(error.message, error)
  // A detail may hold a row's values, secrets among them: only the list of dependents is passed on.
  const dependents = error.code === '2BP01' && error.detail ? `\n${error.detail}` : ''
  const hint = error.hint && error.code !== '2BP01' ? ` (${error.hint})` : ''
  return new MigrationFailedError(file.path, lineOf(file.text, error), `${error.message}${hint}${dependents}`, error)
}

function lineOf(text: string, error: StatementError): number | undefined {
  let offset = error.position === undefined ? -1 : Number(error.position) - 1
  if (error.internalPosition !== undefined && error.internalQuery) {
    const body = text.indexOf(error.internalQuery) // a function's body: positions count from where it begins
    offset = body < 0 ? -1 : body + Number(error.internalPosition) - 1
  }
  return offset < 0 ? undefined : text.slice(0, offset).split('\n').length
}
