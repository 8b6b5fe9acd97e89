/** What one error says of itself; an empty text is nothing. */
type Trace = { code: string; severity: string; message: string }

/** What an error and those below it say; Prisma keeps what Postgres said in a place of its own. */
export function traces(error: unknown): Trace[] {
  if (typeof error !== 'object' || error === null) return []
  const { code, originalCode, severity, message, cause, meta } = error as {
    [Name in 'code' | 'originalCode' | 'severity' | 'message' | 'cause']?: unknown
  } & { meta?: { driverAdapterError?: { cause?: unknown } } }
  const own = { code: text(originalCode ?? code), severity: text(severity), message: text(message) }
  return [own, ...traces(cause), ...traces(meta?.driverAdapterError?.cause)]
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Serialization failure and deadlock, as Postgres and as Prisma call them. */
const collisions = ['40001', '40P01', 'P2034']

/** Whether a transaction was undone for the sake of another one: done again, it may well succeed. */
export const isCollision = (error: unknown): boolean => traces(error).some(({ code }) => collisions.includes(code))
