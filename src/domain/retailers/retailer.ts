import type { Retailer } from '../../db/generated/client/client.ts'
import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit, changedFields, hasChanges } from '../access/audit.ts'
import { notFound } from '../errors.ts'
import { check, type Given } from '../input.ts'
import { refuseDuplicate } from '../unique.ts'
import { NewRetailer, RetailerChanges, type NewRetailerInput, type RetailerChangesInput } from './retailer-input.ts'

export async function createRetailer(db: Db, actor: Actor, input: NewRetailerInput): Promise<Retailer> {
  const data = check(NewRetailer, input)
  const creating = db.$transaction(async (tx) => {
    const retailer = await tx.retailer.create({ data })
    await audit(tx, actor, {
      action: 'CREATE_RETAILER',
      objectType: 'Retailer',
      objectId: retailer.id,
      changes: changedFields(undefined, data),
    })
    return retailer
  })
  return refuseDuplicate(creating, 'input.slug', slugTaken(data.slug))
}

export async function updateRetailer(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<RetailerChangesInput>,
): Promise<Retailer> {
  const data = check(RetailerChanges, input)
  const updating = db.$transaction(async (tx) => {
    await tx.$executeRaw`select from freshet.retailers where id = ${id} for no key update`
    const before = await tx.retailer.findUnique({ where: { id } })
    if (!before) throw notFound('retailer', 'input.id')
    const changes = changedFields(before, data)
    await audit(tx, actor, { action: 'UPDATE_RETAILER', objectType: 'Retailer', objectId: id, changes })
    return hasChanges(changes) ? tx.retailer.update({ where: { id }, data }) : before
  })
  return refuseDuplicate(updating, 'input.slug', slugTaken(data.slug))
}

const slugTaken = (slug: string | undefined) => `A retailer with the slug "${slug}" exists already.`
