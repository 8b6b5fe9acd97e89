/** What one error says of itself, and the constraint that it names; an empty text is nothing. */
type Trace = { code: string; severity: string; message: string; hint: string; constraint: string }

/** What an error and those below it say; Prisma keeps what Postgres said in a place of its own. */
export function traces(error: unknown): Trace[] {
  if (typeof error !== 'object' || error === null) return []
  const { code, originalCode, severity, message, hint, constraint, cause, meta } = error as {
    [Name in 'code' | 'originalCode' | 'severity' | 'message' | 'hint' | 'constraint' | 'cause']?: unknown
  } & { meta?: { driverAdapterError?: { cause?: unknown } } }
  const own = {
    code: text(originalCode ?? code),
    severity: text(severity),
    message: text(message),
    hint: text(hint),
    constraint: text(constraint) || text((Object(constraint) as { index?: unknown }).index),
  }
  return [own, ...traces(cause), ...traces(meta?.driverAdapterError?.cause)]
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Serialization failure and deadlock, as Postgres and as Prisma call them. */
const collisions = ['40001', '40P01', 'P2034']

/** Whether a transaction was undone for the sake of another one: done again, it may well succeed. */
export const isCollision = (error: unknown): boolean => traces(error).some(({ code }) => collisions.includes(code))

const outageStates = /^(08|53|57P0)/
const outageCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // Prisma: not let in, not reachable, timed out, closed, no connection free, no transaction in time, too many of them
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
])
const outageMessages =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|is not queryable/

/** Whether the database was away, full, or undid this for the sake of others: the caller may try again. */
export const isOutage = (error: unknown): boolean =>
  isCollision(error) ||
  traces(error).some(
    ({ code, severity, message }) =>
      severity === 'FATAL' || // of the connection, not of what was asked over it
      outageStates.test(code) ||
      outageCodes.has(code) ||
      outageMessages.test(message),
  )

/** Whether Postgres gave up a statement, or Prisma a transaction, that took longer than it may. */
export const isCancelled = (error: unknown): boolean =>
  traces(error).some(({ code, message }) => code === '57014' || (code === 'P2028' && message.includes('expired')))

/** A failure in a few words that hold no address, no name and no SQL. */
export function briefly(error: unknown): string {
  const [code] = traces(error).flatMap((trace) => (/^[A-Z0-9_]{4,30}$/.test(trace.code) ? [trace.code] : []))
  return code ? `failed with ${code}` : 'failed'
}
