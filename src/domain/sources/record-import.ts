import { readQuery } from '../../db/query.ts'
import type { InTx } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { auditAll } from '../access/audit.ts'
import { readListed, recordOf, type ListRecord } from '../lists/record-list.ts'

type Listed = { id: string; isDisplayPrimary: boolean; expiryHours: number }

const statement = readQuery('sources_of_retailers')

/** The sources of these retailers, as far as a list may change them. */
export const readSources = (tx: InTx, retailerIds: string[]) => readListed<Listed>(tx, statement, retailerIds)

/** Records of each source what a list did to it, under the names that it has when one is changed by itself. */
export async function recordImport(
  tx: InTx,
  actor: Actor,
  before: Map<string, Listed>,
  after: Map<string, Listed>,
): Promise<void> {
  const records = [...after.values()].flatMap((source) => recordsOf(before.get(source.id), source))
  await auditAll(tx, actor, 'Source', records)
}

function recordsOf(before: Listed | undefined, { isDisplayPrimary, ...after }: Listed): ListRecord<'Source'>[] {
  const { id: objectId, expiryHours } = after
  const records = recordOf<'Source'>(before, after, { made: 'CREATE_SOURCE', changed: 'UPDATE_SOURCE' })
  if (before && before.expiryHours !== expiryHours) {
    const changes = { expiryHours: { from: before.expiryHours, to: expiryHours } }
    records.push({ action: 'EXPIRY_HOURS_CHANGED', objectId, changes })
  }
  // A list makes a primary only where there was none.
  if (isDisplayPrimary && !before?.isDisplayPrimary)
    records.push({ action: 'SET_DISPLAY_PRIMARY', objectId, changes: { displayPrimary: { from: null, to: objectId } } })
  return records
}
