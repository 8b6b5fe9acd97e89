import type { Prisma, Source, VisibilityStatus } from '../../db/generated/client/client.ts'
import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit, changedFields, type Change } from '../access/audit.ts'
import { DomainError, notFound } from '../errors.ts'
import { check, withoutNulls, type Given } from '../input.ts'
import { refuseDuplicate } from '../unique.ts'
import {
  NewSource,
  Review,
  SourceChanges,
  type NewSourceInput,
  type ReviewInput,
  type SourceChangesInput,
} from './source-input.ts'

type SourceData = Prisma.SourceUncheckedUpdateInput

export async function createSource(
  db: Db,
  actor: Actor,
  retailerId: bigint,
  input: Given<NewSourceInput>,
): Promise<Source> {
  const data = check(NewSource, withoutNulls(input))
  const creating = db.$transaction(async (tx) => {
    if (!(await tx.retailer.findUnique({ where: { id: retailerId }, select: { id: true } })))
      throw notFound('retailer', 'input.retailerId')
    const source = await tx.source.create({ data: { retailerId, ...data } })
    const changes = changedFields(undefined, { retailerId, ...data })
    await audit(tx, actor, { action: 'CREATE_SOURCE', objectType: 'Source', objectId: source.id, changes })
    return source
  })
  return refuseDuplicate(creating, 'input.name', nameTaken(data.name))
}

export async function updateSource(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<SourceChangesInput>,
): Promise<Source> {
  const data = check(SourceChanges, input)
  const updating = change(db, actor, id, 'UPDATE_SOURCE', 'input.id', (before) => {
    if (data.affiliateNetwork && before.kind !== 'AFFILIATE_FEED') {
      throw new DomainError('CONFLICT', 'Only a source of kind AFFILIATE_FEED has an affiliate network.', {
        field: 'input.affiliateNetwork',
      })
    }
    return data
  })
  return refuseDuplicate(updating, 'input.name', nameTaken(data.name))
}

/** Says whether consumers may see what the source brings. ELIGIBLE alone shows nothing: see `Source.visibility`. */
export async function setSourceVisibility(
  db: Db,
  actor: Actor,
  id: bigint,
  visibilityStatus: VisibilityStatus,
): Promise<Source> {
  return change(db, actor, id, 'SET_SOURCE_VISIBILITY', 'id', () => ({ visibilityStatus }))
}

/** Records that a person read the site's terms and robots.txt, and what he found (S3 §9.5). Nothing is fetched without it. */
export async function reviewSource(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<ReviewInput>,
  now: Date,
): Promise<Source> {
  const { tosApprovedBy, notes, robotsCompliant } = check(Review, withoutNulls(input))
  const review = { tosReviewedAt: now, tosApprovedBy, tosNotes: notes ?? null, robotsCompliant }
  return change(db, actor, id, 'REVIEW_SOURCE', 'input.id', () => review)
}

/** Makes a source the one whose offers its retailer shows; the former primary loses the mark in the same transaction (S2 §13.4). */
export async function setDisplayPrimary(db: Db, actor: Actor, id: bigint): Promise<Source> {
  return db.$transaction(async (tx) => {
    if (!(await tx.source.findUnique({ where: { id }, select: { id: true } }))) throw notFound('source', 'id')
    const [row] = await tx.$queryRaw<{ before: bigint | null }[]>`select freshet.set_display_primary(${id}) as before`
    const changes: Record<string, Change> =
      row?.before === id ? {} : { displayPrimary: { from: row?.before ?? null, to: id } }
    await audit(tx, actor, { action: 'SET_DISPLAY_PRIMARY', objectType: 'Source', objectId: id, changes })
    return tx.source.findUniqueOrThrow({ where: { id } })
  })
}

/** Reads a source under its lock, changes what `decide` says, and records the difference. */
async function change(
  db: Db,
  actor: Actor,
  id: bigint,
  action: string,
  field: string,
  decide: (before: Source) => SourceData,
): Promise<Source> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`select from freshet.sources where id = ${id} for no key update`
    const before = await tx.source.findUnique({ where: { id } })
    if (!before) throw notFound('source', field)
    const data = decide(before)
    const after = await tx.source.update({ where: { id }, data })
    await audit(tx, actor, { action, objectType: 'Source', objectId: id, changes: changedFields(before, data) })
    return after
  })
}

const nameTaken = (name: string | undefined) => `The retailer has a source named "${name}" already.`
