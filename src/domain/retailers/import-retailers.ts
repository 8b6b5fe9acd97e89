import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../access/actor.ts'
import { readQuery } from '../../db/query.ts'
import { audit, auditAll } from '../access/audit.ts'
import { refuseImport, runImport, type ImportCounts } from '../lists/import.ts'
import { readListed, recordOf } from '../lists/record-list.ts'
import { readTable, repeated } from '../lists/table.ts'
import { NewRetailer } from './retailer-input.ts'

const columns = {
  fields: { name: 'name', slug: 'slug', website: 'website', logo_url: 'logoUrl', tier: 'tier' },
  required: ['name'],
}

const listed = readQuery('retailers_by_slug')
const actions = { made: 'CREATE_RETAILER', changed: 'UPDATE_RETAILER' } as const

/** Takes over a list of retailers, all or none. A row whose slug exists updates that retailer; an empty cell changes nothing. */
export async function importRetailers(
  db: Db,
  actor: Actor,
  csv: string,
  { dryRun = false } = {},
): Promise<ImportCounts> {
  const { rows, problems } = await readTable(csv, NewRetailer, columns)
  refuseImport([...problems, ...repeated(rows, 'slug', ({ slug }) => slug)])
  const values = JSON.stringify(rows.map(({ value: { logoUrl, ...rest } }) => ({ ...rest, logo_url: logoUrl })))
  const slugs = rows.map(({ value }) => value.slug)
  return runImport(db, dryRun, async (tx) => {
    const before = await readListed(tx, listed, slugs)
    const [counts] = await tx.$queryRaw<
      { created: number; updated: number }[]
    >`select created, updated from freshet.import_retailers(${values}::jsonb)`
    const { created = 0, updated = 0 } = counts ?? {}
    await audit(tx, actor, {
      action: 'IMPORT_RETAILERS',
      objectType: 'Retailer',
      changes: { created: { to: created }, updated: { to: updated } },
    })
    const after = await readListed(tx, listed, slugs)
    const records = [...after.values()].flatMap((row) => recordOf<'Retailer'>(before.get(row.id), row, actions))
    await auditAll(tx, actor, 'Retailer', records)
    return { rows: rows.length, created, updated, unchanged: rows.length - created - updated, dryRun }
  })
}
