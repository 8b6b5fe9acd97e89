import { traces } from '../db/failure.ts'

/** Every `errcode` that our own SQL raises, five characters that begin with FR, and what it refuses with it. */
export const sqlCodes = {
  FR001: 'a change of what is written once: the audit log, the events of a run, what a run began with',
  FR010: 'a job for a queue that does not exist',
  FR021: 'an attempt that no longer owns its run',
  FR022: 'a change of a run that has ended, a second end included',
  FR023: 'a start of a run whose job was taken',
  FR031: 'a bad cron expression',
  FR032: 'an unknown time zone',
  FR041: 'an audit log to be kept too briefly',
  FR051: 'a decision about a run that cannot be carried out; its detail is the code',
  FR052: 'an acceptance of a price where none is held back',
} as const

export type SqlCode = keyof typeof sqlCodes
export type SqlRefusal = { code: SqlCode; message: string; hint: string }

/** What our SQL refused, in its own words, however deep Prisma keeps it; nothing if the error is another one. */
export const sqlRefusal = (error: unknown): SqlRefusal | undefined =>
  traces(error).flatMap(({ code, message, hint }) => (isOurs(code) ? [{ code, message, hint }] : []))[0]

const isOurs = (code: string): code is SqlCode => Object.hasOwn(sqlCodes, code)
