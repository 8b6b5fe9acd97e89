import { readQuery } from '../../db/query.ts'
import { queryRows, type InTx } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { auditAll, changedFields, hasChanges, type AuditRecord } from '../access/audit.ts'

type Listed = { id: string; isDisplayPrimary: boolean; expiryHours: number } & Record<string, unknown>
export type ListedSources = Map<string, Listed>

const statement = readQuery('sources_of_retailers')

/** The sources of these retailers, as far as a list may change them. */
export async function readListed(tx: InTx, retailerIds: readonly string[]): Promise<ListedSources> {
  const rows = await queryRows<Listed>(tx, statement, [[...new Set(retailerIds)]])
  return new Map(rows.map((row) => [row.id, row]))
}

/** Records of each source what a list did to it, under the names that it has when one is changed by itself. */
export async function recordImport(tx: InTx, actor: Actor, before: ListedSources, after: ListedSources): Promise<void> {
  const records = [...after.values()].flatMap((source) => recordsOf(before.get(source.id), source))
  await auditAll(tx, actor, 'Source', records)
}

function recordsOf(before: Listed | undefined, { id, isDisplayPrimary, ...after }: Listed) {
  const records: Omit<AuditRecord<'Source'>, 'objectType'>[] = []
  const changes = changedFields(before, after)
  const action = before ? 'UPDATE_SOURCE' : 'CREATE_SOURCE'
  if (hasChanges(changes)) records.push({ action, objectId: id, changes })
  const { expiryHours } = changes
  if (before && expiryHours) records.push({ action: 'EXPIRY_HOURS_CHANGED', objectId: id, changes: { expiryHours } })
  // A list makes a primary only where there was none.
  if (isDisplayPrimary && !before?.isDisplayPrimary)
    records.push({ action: 'SET_DISPLAY_PRIMARY', objectId: id, changes: { displayPrimary: { from: null, to: id } } })
  return records
}
