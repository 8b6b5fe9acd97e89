import { ExpectedError } from '../../expected-error.ts'

const ownPostgres = 'or set DATABASE_URL to a Postgres of your own (15 to 18)'

/** Something the embedded Postgres cannot get over by itself: the message says what is wrong, the hint what to do. */
export class EmbeddedPostgresError extends ExpectedError {
  constructor(code: string, message: string, hint: string, cause?: unknown) {
    super(code, message, { hint: `${hint}, ${ownPostgres}.`, cause })
  }
}

/** The `code` of a Node or Postgres error: `ENOENT`, `57P01`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Passes an error on unless it carries one of the codes. */
export function ignore(...codes: string[]) {
  return (error: unknown): undefined => {
    if (!codes.includes(codeOf(error) ?? '')) throw error
  }
}

const diskFull = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|Check free disk space/
const denied = /EACCES|EPERM|EROFS|Permission denied|Operation not permitted|Read-only file system/

/** True when the text of a program, or the code of an error, says that something was not allowed. */
export function isDenied(text: string): boolean {
  return denied.test(text)
}

/** The error for a program that failed: `text` is what it printed, kept for the reader; `code` where nothing better is known. */
export function explainOutput(code: string, failure: string, text: string, dir: string): EmbeddedPostgresError {
  const message = text === '' ? `${failure}.` : `${failure}:\n${text}`
  if (diskFull.test(text)) return new EmbeddedPostgresError('DISK_FULL', message, `Free space for ${dir}`)
  if (isDenied(text)) {
    return new EmbeddedPostgresError('DATA_DIR_DENIED', message, `Give the user that runs Freshet the right to ${dir}`)
  }
  return new EmbeddedPostgresError(code, message, 'Mend what the lines above name')
}

/** Turns trouble with files into an error that names the data directory; anything else stays what it was. */
export function explainFiles(error: unknown, dir: string): unknown {
  const code = codeOf(error)
  if (!(error instanceof Error) || error instanceof EmbeddedPostgresError || code === undefined) return error
  if ('syscall' in error && String(error.syscall).startsWith('spawn')) return error
  const failure = `The data directory ${dir} cannot be used`
  if (diskFull.test(code) || denied.test(code)) {
    return explainOutput('DATA_DIR_UNUSABLE', failure, error.message, dir)
  }
  if (!['ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'EBUSY', 'EIO'].includes(code)) return error
  const hint = 'Point FRESHET_DATA_DIR at a directory that can be made and written'
  return new EmbeddedPostgresError('DATA_DIR_UNUSABLE', `${failure}:\n${error.message}`, hint, error)
}
