import pg from 'pg'
import { vi } from 'vitest'

/** What this process sends to Postgres over the pool that requests share, statement by statement. */
export function watchStatements(): string[] {
  const statements: string[] = []
  const query = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } }
    const [statement] = given as [string | { text: string }]
    if (connectionParameters.application_name === 'freshet')
      statements.push(typeof statement === 'string' ? statement : statement.text)
    return query.apply(this, given)
  } as typeof pg.Client.prototype.query)
  return statements
}
