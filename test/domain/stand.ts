import { connectPool } from '../../src/db/pool.ts'
import { connectPrisma } from '../../src/db/prisma.ts'
import type { Actor } from '../../src/domain/access/actor.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { collectLines } from '../support/lines.ts'

/** A database of one's own and what the domain needs to work on it. */
export async function openStand() {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await cloneDatabase())
  const log = createLog({ level: 'silent', destination: collectLines().stream })
  const pool = connectPool(database.url, { size: 12, log })
  opening.defer(() => pool.end())
  const db = connectPrisma(pool)
  opening.defer(() => db.$disconnect())
  const resources = opening.move()
  return { db, pool: database.pool, appPool: pool, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

export const actor: Actor = { keyId: null, name: 'test', scopes: new Set(), requestId: 'a-request' }

/** The problems of an input that is refused, as "field message"; anything else fails. */
export async function problemsOf(work: Promise<unknown>, code = 'IMPORT_REFUSED'): Promise<string[]> {
  const error: unknown = await work.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DomainError) || error.code !== code) throw error
  return error.problems.map(({ field, message }) => `${field} ${message}`)
}
