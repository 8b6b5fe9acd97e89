import { z } from 'zod'
import type { Db, Tx } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import type { Problem } from '../errors.ts'
import { at, readTable, refuseImport, repeated, runImport, type ImportCounts, type Row } from '../import.ts'
import { text } from '../input.ts'
import { registrableDomain } from '../retailers/retailer-input.ts'
import { NewSource } from './source-input.ts'

const columns = {
  retailer: 'retailer',
  name: 'name',
  kind: 'kind',
  url: 'url',
  created_at: 'createdAt',
  expiry_hours: 'expiryHours',
  affiliate_network: 'affiliateNetwork',
  affiliate_account_id: 'affiliateAccountId',
  affiliate_account_name: 'affiliateAccountName',
  affiliate_tracking_template: 'affiliateTrackingTemplate',
}

const ImportedSource = z
  .looseObject({
    retailer: text(200).optional(),
    createdAt: z.coerce.date('must be a moment, as in 2024-05-01.').optional(),
    expiryHours: z.coerce.number('must be a whole number.').optional(),
    kind: z.string().toUpperCase().optional(),
    affiliateNetwork: z.string().toUpperCase().optional(),
  })
  .transform(({ retailer, createdAt, ...rest }, context) => {
    const source = NewSource.safeParse(rest)
    if (!source.success)
      for (const { path, message } of source.error.issues) context.addIssue({ code: 'custom', path, message })
    return { retailer, createdAt, source: source.data as z.output<typeof NewSource> }
  })
type Imported = Row<z.output<typeof ImportedSource>>

/**
 * Takes over a list of sources, all or none (S2 §18.2). A row names its retailer by slug or name, or is matched by the
 * domain of its url; a row that matches none or several is refused. Retailers left without a display primary get their
 * oldest direct source as one.
 */
export async function importSources(db: Db, actor: Actor, csv: string, { dryRun = false } = {}): Promise<ImportCounts> {
  const { rows, problems } = readTable(csv, ImportedSource, columns)
  return runImport(db, dryRun, async (tx) => {
    const { placed, unplaced } = await findRetailers(tx, rows)
    refuseImport([
      ...problems,
      ...unplaced,
      ...repeated(placed, 'name', ({ retailerId, name }) => `${retailerId}/${name}`),
    ])
    const values = JSON.stringify(placed.map(({ value }) => toRow(value)))
    const [counts] = await tx.$queryRaw<
      { created: number; updated: number }[]
    >`select created, updated from freshet.import_sources(${values}::jsonb)`
    const { created = 0, updated = 0 } = counts ?? {}
    await audit(tx, actor, {
      action: 'IMPORT_SOURCES',
      objectType: 'Source',
      changes: { created: { to: created }, updated: { to: updated } },
    })
    return { rows: rows.length, created, updated, unchanged: rows.length - created - updated, dryRun }
  })
}

type Placed = z.output<typeof NewSource> & { retailerId: string; createdAt: Date | undefined }

async function findRetailers(tx: Tx, rows: Imported[]): Promise<{ placed: Row<Placed>[]; unplaced: Problem[] }> {
  const retailers = await tx.retailer.findMany({ select: { id: true, slug: true, name: true, domain: true } })
  const find = (by: (retailer: (typeof retailers)[number]) => boolean) =>
    retailers.filter(by).map(({ id }) => String(id))
  const placed: Row<Placed>[] = []
  const unplaced: Problem[] = []
  for (const { line, value } of rows) {
    const { retailer, createdAt, source } = value
    const domain = source.url ? registrableDomain(source.url) : undefined
    const found = retailer
      ? find((known) => known.slug === retailer || known.name === retailer)
      : domain
        ? find((known) => known.domain === domain)
        : []
    const [retailerId, another] = found
    if (retailerId && !another) placed.push({ line, value: { ...source, retailerId, createdAt } })
    else unplaced.push({ field: at(line, 'retailer'), message: placeProblem(retailer, domain, found.length) })
  }
  return { placed, unplaced }
}

function placeProblem(retailer: string | undefined, domain: string | undefined, found: number): string {
  if (retailer)
    return found === 0
      ? `there is no retailer "${retailer}".`
      : `${found} retailers are called "${retailer}"; give the slug.`
  if (!domain) return 'is needed where the row has no url.'
  return found === 0
    ? `no retailer has a website on ${domain}; name the retailer.`
    : `${found} retailers have a website on ${domain}; name the retailer.`
}

function toRow({ retailerId, createdAt, ...source }: Placed) {
  return {
    retailer_id: retailerId,
    created_at: createdAt,
    name: source.name,
    kind: source.kind,
    url: source.url,
    visibility_status: source.visibilityStatus,
    upc_trusted: source.upcTrusted,
    expiry_hours: source.expiryHours,
    affiliate_network: source.affiliateNetwork,
    affiliate_account_id: source.affiliateAccountId,
    affiliate_account_name: source.affiliateAccountName,
    affiliate_tracking_template: source.affiliateTrackingTemplate,
  }
}
