import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit, changedFields } from '../access/audit.ts'
import { changeRow } from '../change.ts'
import { check, type Given } from '../input.ts'
import { refuseDuplicate, type Duplicates } from '../unique.ts'
import { NewRetailer, RetailerChanges, type NewRetailerInput, type RetailerChangesInput } from './retailer-input.ts'

/** Adds a retailer and answers its id. */
export async function createRetailer(db: Db, actor: Actor, input: NewRetailerInput): Promise<bigint> {
  const data = check(NewRetailer, input)
  const creating = db.$transaction(async (tx) => {
    const { id } = await tx.retailer.create({ data })
    const changes = changedFields(undefined, data)
    await audit(tx, actor, { action: 'CREATE_RETAILER', objectType: 'Retailer', objectId: id, changes })
    return id
  })
  return refuseDuplicate(creating, slugTaken(data.slug))
}

export async function updateRetailer(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<RetailerChangesInput>,
): Promise<bigint> {
  const data = check(RetailerChanges, input)
  const decide = () => data
  const updating = changeRow(db, actor, { model: 'Retailer', id, field: 'input.id', action: 'UPDATE_RETAILER', decide })
  return refuseDuplicate(updating, slugTaken(data.slug))
}

const slugTaken = (slug: string | undefined): Duplicates => ({
  retailers_slug_key: { field: 'input.slug', message: `A retailer with the slug "${slug}" exists already.` },
})
