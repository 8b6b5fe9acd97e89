import type pg from 'pg'
import type { AuditedType } from '../../../src/domain/access/audit-action.ts'
import * as alert from './alert.ts'
import * as apiKey from './api-key.ts'
import * as auditEntry from './audit-entry.ts'
import * as feed from './feed.ts'
import * as offer from './offer.ts'
import type { Mutation, Operation, Table } from './operation.ts'
export type { Mutation } from './operation.ts'
import * as queue from './queue.ts'
import * as retailer from './retailer.ts'
import * as run from './run.ts'
import * as schedule from './schedule.ts'
import * as source from './source.ts'

let count = 0

/** A mark that no fixture has. */
export const newMark = (): string => `mark-${++count}`

/** New objects of every noun; those that are nodes stand under their type, by their global ids. */
export async function makeFixture(pool: pg.Pool) {
  const mark = { mark: newMark() }
  const retailers = { ...mark, ...(await retailer.make(pool, mark)) }
  const sources = { ...retailers, ...(await source.make(pool, retailers)) }
  return {
    ...sources,
    ...(await alert.make(pool, sources)),
    ...(await apiKey.make(pool, mark)),
    ...(await auditEntry.make(pool, retailers)),
    ...(await feed.make(pool, retailers)),
    ...(await offer.make(pool, mark)),
    ...(await queue.make(pool, mark)),
    ...(await run.make(pool, sources)),
    ...(await schedule.make(pool, mark)),
  }
}

export type Fixture = Awaited<ReturnType<typeof makeFixture>>

/** Every root field of the schema, by type and name. One that is missing here fails the access test. */
export const operations: Record<string, Operation<Fixture> | Mutation<Fixture>> = {
  'Query.node': {
    scope: 'READ',
    document: 'query ($id: ID!) { node(id: $id) { id } }',
    variables: ({ Retailer }) => ({ id: Retailer }),
  },
  ...alert.operations,
  ...apiKey.operations,
  ...auditEntry.operations,
  ...feed.operations,
  ...offer.operations,
  ...queue.operations,
  ...retailer.operations,
  ...run.operations,
  ...schedule.operations,
  ...source.operations,
}

/** The mutations among them, by name. */
export const mutations: [string, Mutation<Fixture>][] = Object.entries(operations).flatMap(([name, operation]) =>
  'recorded' in operation ? [[name, operation]] : [],
)

/** Where the objects are kept that the audit log speaks of. */
export const tables: Record<AuditedType, Table> = {
  ...alert.tables,
  ...apiKey.tables,
  ...feed.tables,
  ...offer.tables,
  ...queue.tables,
  ...retailer.tables,
  ...schedule.tables,
  ...source.tables,
}
