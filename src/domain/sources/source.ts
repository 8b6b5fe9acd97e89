import type { VisibilityStatus } from '../../db/generated/client/client.ts'
import type { Db } from '../../db/prisma.ts'
import type { Log } from '../../log.ts'
import type { Actor } from '../access/actor.ts'
import { audit, changedFields, type Change } from '../access/audit.ts'
import { changeRow } from '../change.ts'
import { domainOf } from '../domain-name.ts'
import { DomainError, notFound } from '../errors.ts'
import { check, checkWith, withoutNulls, type Given } from '../input.ts'
import { refuseDuplicate, type Duplicates } from '../unique.ts'
import { recordExpiryHours } from './expiry.ts'
import { changeShown, type Showing } from './impact.ts'
import {
  NewSource,
  networkNotAllowed,
  Review,
  SourceChanges,
  type NewSourceInput,
  type ReviewInput,
  type SourceChangesInput,
} from './source-input.ts'

/** Adds a source to a retailer and answers its id. */
export async function createSource(
  db: Db,
  actor: Actor,
  retailerId: bigint,
  input: Given<NewSourceInput>,
): Promise<bigint> {
  const data = await checkWith(NewSource, withoutNulls(input), async () => {
    const isThere = await db.retailer.findUnique({ where: { id: retailerId }, select: { id: true } })
    return isThere ? [] : [{ field: 'input.retailerId', message: 'There is no such retailer.' }]
  })
  const creating = db.$transaction(async (tx) => {
    // Locked before the insert, as an import does: the foreign key would ask for the lock only after the name is taken.
    const found = await tx.$executeRaw`select from freshet.retailers where id = ${retailerId} for key share`
    if (found === 0) throw notFound('retailer', 'input.retailerId')
    const { id } = await tx.source.create({ data: { retailerId, ...data } })
    const changes = changedFields(undefined, { retailerId, ...data })
    await audit(tx, actor, { action: 'CREATE_SOURCE', objectType: 'Source', objectId: id, changes })
    return id
  })
  return refuseDuplicate(creating, nameTaken(data.name))
}

export async function updateSource(
  { db, log }: { db: Db; log: Log },
  actor: Actor,
  id: bigint,
  input: Given<SourceChangesInput>,
): Promise<bigint> {
  const data = check(SourceChanges, input)
  const to = data.expiryHours
  let from: number | undefined
  const updating = changeRow(db, actor, {
    model: 'Source',
    id,
    field: 'input.id',
    action: 'UPDATE_SOURCE',
    decide: (before) => {
      from = before.expiryHours
      if (data.affiliateNetwork && before.kind !== 'AFFILIATE_FEED')
        throw new DomainError('CONFLICT', `input.affiliateNetwork: ${networkNotAllowed}`, {
          field: 'input.affiliateNetwork',
        })
      return { ...data, ...(movesSite(before.url, data.url) ? unreviewed : {}) }
    },
    around: async (tx, write) => {
      await write()
      if (from === undefined || to === undefined || from === to) return
      await recordExpiryHours(tx, log, actor, { objectType: 'Source', objectId: id }, { from, to })
    },
  })
  return refuseDuplicate(updating, nameTaken(data.name))
}

/** A review is of a site (S3 §9.5): it does not go along to another one. */
const unreviewed = { tosReviewedAt: null, tosApprovedBy: null, tosNotes: null, robotsCompliant: true }

const movesSite = (from: string | null, to: string | null | undefined): boolean =>
  to !== undefined && domainOf(from) !== domainOf(to)

/**
 * Says whether consumers may see what the source brings. ELIGIBLE alone shows nothing: see `Source.visibility`. Where many offers
 * would vanish it has to be confirmed.
 */
export async function setSourceVisibility(
  db: Db,
  actor: Actor,
  id: bigint,
  visibilityStatus: VisibilityStatus,
  showing: Showing,
): Promise<bigint> {
  return changeRow(db, actor, {
    model: 'Source',
    id,
    field: 'id',
    action: 'SET_SOURCE_VISIBILITY',
    decide: () => ({ visibilityStatus }),
    around: (tx, write) => changeShown(tx, id, showing, 'status', () => write()),
  })
}

/** Records that a person read the site's terms and robots.txt, and what he found (S3 §9.5). Nothing is fetched without it. */
export async function reviewSource(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<ReviewInput>,
  now: Date,
): Promise<bigint> {
  const { tosApprovedBy, notes, robotsCompliant } = check(Review, withoutNulls(input))
  const review = { tosReviewedAt: now, tosApprovedBy, tosNotes: notes ?? null, robotsCompliant }
  return changeRow(db, actor, { model: 'Source', id, field: 'input.id', action: 'REVIEW_SOURCE', decide: () => review })
}

/**
 * Makes a source the one whose offers its retailer shows; the former primary loses the mark in the same transaction (S2 §13.4).
 * Where many offers would vanish it has to be confirmed.
 */
export async function setDisplayPrimary(db: Db, actor: Actor, id: bigint, showing: Showing): Promise<bigint> {
  return db.$transaction(async (tx) => {
    // Before it is looked at what the retailer shows: a switch at work would otherwise change that in between.
    const found = await tx.$executeRaw`
      select from freshet.retailers where id = (select retailer_id from freshet.sources where id = ${id}) for no key update`
    if (found === 0) throw notFound('source', 'id')
    let before: bigint | null = null
    await changeShown(tx, id, showing, 'id', async () => {
      const [row] = await tx.$queryRaw<{ before: bigint | null }[]>`select freshet.set_display_primary(${id}) as before`
      before = row?.before ?? null
    })
    const changes: Record<string, Change> = before === id ? {} : { displayPrimary: { from: before, to: id } }
    await audit(tx, actor, { action: 'SET_DISPLAY_PRIMARY', objectType: 'Source', objectId: id, changes })
    return id
  })
}

const nameTaken = (name: string | undefined): Duplicates => ({
  sources_retailer_id_name_key: { field: 'input.name', message: `The retailer has a source named "${name}" already.` },
})
