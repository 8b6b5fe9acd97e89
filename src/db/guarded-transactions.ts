import { currentDeadline } from './deadline.ts'
import { isCollision } from './failure.ts'
import type { PrismaClient } from './generated/client/client.ts'
import type { Tx } from './prisma.ts'

type Work = (tx: Tx) => Promise<unknown>
type Options = { timeout?: number }
type Begin = (work: Work, options?: Options) => Promise<unknown>

const attempts = 3
/** What Prisma gives a transaction where nothing else is said. */
const usualMs = 5_000

/**
 * Two rules for every transaction of a client. One that was undone for the sake of another (a deadlock) is done again, so
 * its work must be safe to repeat. And one that belongs to a request does not commit after the request was given up:
 * whoever was told so must not find it done later.
 */
export function guardTransactions(db: PrismaClient): void {
  const begin = db.$transaction.bind(db) as Begin
  const guarded: Begin = async (work, options) => {
    if (typeof work !== 'function') return begin(work, options) // a list of queries
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(begin, work, options)
      } catch (error) {
        if (attempt === attempts || !isCollision(error)) throw error
      }
    }
  }
  Object.assign(db, { $transaction: guarded })
}

async function once(begin: Begin, work: Work, options: Options = {}): Promise<unknown> {
  const deadline = currentDeadline()
  if (!deadline) return begin(work, options)
  deadline.signal.throwIfAborted()
  const timeout = Math.max(1, Math.min(options.timeout ?? usualMs, Math.ceil(deadline.endsAt - performance.now())))
  const workInTime: Work = async (tx) => {
    const result = await work(tx)
    deadline.signal.throwIfAborted()
    deadline.reachedCommit = true // from here on nobody can say that it did not happen
    return result
  }
  return begin(workInTime, { ...options, timeout })
}
