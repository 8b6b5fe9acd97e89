import { queryRows, type InTx } from '../../db/sql.ts'
import type { ActionOn, AuditedType } from '../access/audit-action.ts'
import { changedFields, hasChanges, type AuditRecord } from '../access/audit.ts'

/** An object of a list, as far as lists may change it. */
export type Listed = { id: string }
export type ListRecord<Type extends AuditedType> = Omit<AuditRecord<Type>, 'objectType'>

/** Objects by their id, as they are at this moment. */
export async function readListed<Row extends Listed>(
  tx: InTx,
  statement: string,
  keys: string[],
): Promise<Map<string, Row>> {
  const rows = await queryRows<Row>(tx, statement, [[...new Set(keys)]])
  return new Map(rows.map((row) => [row.id, row]))
}

/** What there is to record of an object after a list was taken in: that it was made, or what of it became other. */
export function recordOf<Type extends AuditedType>(
  before: object | undefined,
  { id, ...after }: Listed,
  actions: { made: ActionOn<Type>; changed: ActionOn<Type> },
): ListRecord<Type>[] {
  const changes = changedFields(before, after)
  return hasChanges(changes) ? [{ action: before ? actions.changed : actions.made, objectId: id, changes }] : []
}
