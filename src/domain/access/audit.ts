import { isDeepStrictEqual } from 'node:util'
import { readQuery } from '../../db/query.ts'
import { queryRows, type InTx } from '../../db/sql.ts'
import type { Actor } from './actor.ts'
import type { ActionOn, AuditedType } from './audit-action.ts'

export type Change = { from?: unknown; to: unknown }
export type AuditRecord<Type extends AuditedType> = {
  action: ActionOn<Type>
  objectType: Type
  /** The number of a row; jobs and queues have ids of their own. */
  objectId?: bigint | string
  changes?: Record<string, Change | 'changed'>
}

const statement = readQuery('write_audit')

/** Records who did what, in the transaction that does it. Values of secrets never go in: name the field, with 'changed'. */
export async function audit<Type extends AuditedType>(
  tx: InTx,
  actor: Actor,
  { action, objectType, objectId, changes = {} }: AuditRecord<Type>,
): Promise<void> {
  const id = objectId === undefined ? null : String(objectId)
  const values = [actor.keyId, actor.name, action, objectType, id, toJson(changes), actor.requestId]
  await queryRows(tx, statement, values)
}

const statements = readQuery('write_audits')

/** Records what was done to several objects of one type, in the transaction that does it and with one statement. */
export async function auditAll<Type extends AuditedType>(
  tx: InTx,
  actor: Actor,
  objectType: Type,
  records: Omit<AuditRecord<Type>, 'objectType'>[],
): Promise<void> {
  if (records.length === 0) return
  const ids = records.map(({ objectId }) => String(objectId))
  const actions = records.map(({ action }) => action)
  const changes = records.map((record) => toJson(record.changes ?? {}))
  await queryRows(tx, statements, [actor.keyId, actor.name, objectType, ids, actions, changes, actor.requestId])
}

/**
 * The fields in which two states of an object differ. `before` is absent for a new object. Of those that are secret it says no
 * more than 'changed'.
 */
export function changedFields(
  before: object | undefined,
  after: object,
  secret: readonly string[] = [],
): Record<string, Change | 'changed'> {
  const old = new Map<string, unknown>(Object.entries(before ?? {}))
  const changes: Record<string, Change | 'changed'> = {}
  for (const [field, to] of Object.entries(after) as [string, unknown][]) {
    const from = old.get(field) ?? null
    // What was not given is not changed. Compared as JSON values: the database keeps keys in an order of its own.
    if (to === undefined || isDeepStrictEqual(plain(from), plain(to))) continue
    changes[field] = secret.includes(field) ? 'changed' : before ? { from, to } : { to }
  }
  return changes
}

export const hasChanges = (changes: Record<string, unknown>): boolean => Object.keys(changes).length > 0

const toJson = (value: unknown) =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
const plain = (value: unknown): unknown => JSON.parse(toJson(value))
