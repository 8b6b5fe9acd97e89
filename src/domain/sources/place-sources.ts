import type { Tx } from '../../db/prisma.ts'
import { domainOf } from '../domain-name.ts'
import type { Problem } from '../errors.ts'
import { at } from '../lists/csv.ts'
import type { Row } from '../lists/table.ts'
import type { ImportedSource } from './imported-source.ts'

/** A row of a list whose retailer is known. */
export type Placed = Omit<ImportedSource, 'retailer'> & { retailerId: string }

const hint = 'Retailers come first: create or import them, then import their sources again.'

type Retailer = { id: string; slug: string; name: string; domain: string | null }

/** Finds the retailer of each row: the one it names by slug or else by name; if it names none, the one on its url's domain. */
export async function placeSources(
  tx: Tx,
  rows: Row<ImportedSource>[],
): Promise<{ placed: Row<Placed>[]; unplaced: Problem[] }> {
  const find = await loadRetailers(tx, rows)
  const placed: Row<Placed>[] = []
  const unplaced: Problem[] = []
  for (const { line, value, ...row } of rows) {
    const { retailer, ...source } = value
    const domain = domainOf(value.url)
    const found = find(retailer, domain)
    const [only] = found
    if (only && found.length === 1) placed.push({ ...row, line, value: { ...source, retailerId: only.id } })
    else if (!row.bad?.some((column) => column === 'retailer' || column === 'url'))
      unplaced.push({ ...at(line, 'retailer'), message: problemOf(retailer, domain, found.length), hint })
  }
  return { placed, unplaced }
}

/** Reads, in one statement, the retailers that any row may mean. */
async function loadRetailers(tx: Tx, rows: Row<ImportedSource>[]) {
  const names = rows.flatMap(({ value }) => value.retailer ?? [])
  const domains = rows.flatMap(({ value }) => (value.retailer ? [] : (domainOf(value.url) ?? [])))
  const retailers = await tx.$queryRaw<Retailer[]>`
    select id::text, slug, name, domain from freshet.retailers
    where slug = any (${names}::text[]) or name = any (${names}::text[]) or domain = any (${domains}::text[])`
  const bySlug = Map.groupBy(retailers, ({ slug }) => slug)
  const byName = Map.groupBy(retailers, ({ name }) => name)
  const byDomain = Map.groupBy(retailers, ({ domain }) => domain)
  return (retailer: string | undefined, domain: string | null): Retailer[] => {
    if (retailer) return bySlug.get(retailer) ?? byName.get(retailer) ?? []
    return domain ? (byDomain.get(domain) ?? []) : []
  }
}

function problemOf(retailer: string | undefined, domain: string | null, found: number): string {
  if (retailer)
    return found === 0
      ? `there is no retailer "${retailer}".`
      : `${found} retailers are called "${retailer}"; give the slug.`
  if (!domain) return 'is needed where the row has no url.'
  return found === 0
    ? `no retailer has a website on ${domain}; name the retailer.`
    : `${found} retailers have a website on ${domain}; name the retailer.`
}
