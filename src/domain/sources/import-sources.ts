import type { SourceKind } from '../../db/generated/client/client.ts'
import type { Db, Tx } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { domainOf } from '../domain-name.ts'
import type { Problem } from '../errors.ts'
import { at } from '../lists/csv.ts'
import { refuseImport, runImport, type ImportCounts } from '../lists/import.ts'
import { readTable, repeated, type Row } from '../lists/table.ts'
import { columns, ImportedSource } from './imported-source.ts'
import { placeSources, type Placed } from './place-sources.ts'
import { readSources, recordImport } from './record-import.ts'
import { networkNotAllowed, startingRights } from './source-input.ts'

/**
 * Takes over a list of sources, all or none (S2 §18.2). A row names its retailer by slug or name, or is matched by the
 * domain of its url; a row that matches none or several is refused. An empty cell changes nothing. Retailers left without
 * a display primary get their oldest direct source as one.
 */
export async function importSources(db: Db, actor: Actor, csv: string, { dryRun = false } = {}): Promise<ImportCounts> {
  const { rows, problems } = await readTable(csv, ImportedSource, columns)
  return runImport(db, dryRun, async (tx) => {
    const { placed, unplaced } = await placeSources(tx, rows)
    const known = await findKnown(tx, placed)
    const twice = repeated(
      placed,
      'name',
      (value) => keyOf(value),
      ({ name }) => name,
    )
    refuseImport([...problems, ...unplaced, ...twice, ...placed.flatMap((row) => misfits(row, known))])
    const retailerIds = placed.map(({ value }) => value.retailerId)
    const before = await readSources(tx, retailerIds)
    const values = JSON.stringify(placed.map(({ value }) => toRow(value, known.get(keyOf(value))?.kind)))
    const [counts] = await tx.$queryRaw<
      { created: number; updated: number; promoted: number }[]
    >`select created, updated, promoted from freshet.import_sources(${values}::jsonb)`
    const { created = 0, updated = 0, promoted = 0 } = counts ?? {}
    const changes = { created: { to: created }, updated: { to: updated }, displayPrimaries: { to: promoted } }
    await audit(tx, actor, { action: 'IMPORT_SOURCES', objectType: 'Source', changes })
    await recordImport(tx, actor, before, await readSources(tx, retailerIds))
    return { rows: rows.length, created, updated, unchanged: rows.length - created - updated, dryRun }
  })
}

type Known = { kind: SourceKind; url: string | null; isReviewed: boolean }

const keyOf = ({ retailerId, name }: { retailerId: string; name: string }) => `${retailerId}/${name}`

/**
 * The sources that a list speaks of and that exist already. They stay as they are until the import ends: what is decided
 * here must still hold when it is written. The lock on the retailers also keeps new sources of theirs out.
 */
async function findKnown(tx: Tx, placed: Row<Placed>[]): Promise<Map<string, Known>> {
  const retailerIds = placed.map(({ value }) => value.retailerId)
  const names = placed.map(({ value }) => value.name)
  await tx.$executeRaw`select from freshet.retailers where id = any (${retailerIds}::bigint[]) order by id for update`
  const found = await tx.$queryRaw<(Known & { retailerId: string; name: string })[]>`
    select s.retailer_id::text as "retailerId", s.name, s.kind, s.url, s.tos_reviewed_at is not null as "isReviewed"
    from unnest(${retailerIds}::bigint[], ${names}::text[]) as given(retailer_id, name)
    join freshet.sources s on s.retailer_id = given.retailer_id and s.name = given.name
    order by s.id for no key update of s`
  return new Map(found.map((source) => [keyOf(source), source]))
}

/** What a row says that does not fit the source it is about. */
function misfits({ line, value }: Row<Placed>, known: Map<string, Known>): Problem[] {
  const source = known.get(keyOf(value))
  const kind = source?.kind ?? value.kind ?? 'DIRECT'
  const problems: Problem[] = []
  if (value.kind && value.kind !== kind)
    problems.push({ ...at(line, 'kind'), message: `cannot be changed: the source is of kind ${kind}.` })
  else if (value.affiliateNetwork && kind !== 'AFFILIATE_FEED')
    problems.push({ ...at(line, 'affiliate_network'), message: networkNotAllowed })
  if (source?.isReviewed && value.url && domainOf(value.url) !== domainOf(source.url)) {
    const message = `moves a reviewed source to ${domainOf(value.url)}. Use updateSource, which ends the review.`
    problems.push({ ...at(line, 'url'), message })
  }
  return problems
}

function toRow(source: Placed, knownKind: SourceKind | undefined) {
  const kind = knownKind ?? source.kind ?? 'DIRECT'
  const { visibilityStatus, upcTrusted } = startingRights(kind)
  return {
    retailer_id: source.retailerId,
    created_at: source.createdAt,
    name: source.name,
    kind,
    url: source.url,
    visibility_status: visibilityStatus,
    upc_trusted: upcTrusted,
    expiry_hours: source.expiryHours,
    affiliate_network: source.affiliateNetwork,
    affiliate_account_id: source.affiliateAccountId,
    affiliate_account_name: source.affiliateAccountName,
    affiliate_tracking_template: source.affiliateTrackingTemplate,
  }
}
