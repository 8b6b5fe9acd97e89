import { isCollision } from './failure.ts'
import type { PrismaClient } from './generated/client/client.ts'
import type { Tx } from './prisma.ts'

type Work = (tx: Tx) => Promise<unknown>
type Options = { timeout?: number }
type Begin = (work: Work, options?: Options) => Promise<unknown>

const attempts = 3

/**
 * A rule for every transaction of a client: one that was undone for the sake of another (a deadlock) is done again, so
 * its work must be safe to repeat.
 */
export function guardTransactions(db: PrismaClient): void {
  const begin = db.$transaction.bind(db) as Begin
  const guarded: Begin = async (work, options) => {
    if (typeof work !== 'function') return begin(work, options) // a list of queries
    for (let attempt = 1; ; attempt++) {
      try {
        return await begin(work, options)
      } catch (error) {
        if (attempt === attempts || !isCollision(error)) throw error
      }
    }
  }
  Object.assign(db, { $transaction: guarded })
}
