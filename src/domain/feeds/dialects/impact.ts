import type { Dialect, RawRow } from './field.ts'
import { generic } from './generic.ts'

/** How many rows were left out because they stand for their variants is counted under this code. */
export const parentRowSkipped = 'PARENT_ROW_SKIPPED'

/**
 * Impact's catalogues come with one of three sets of columns: its own ("IR"), one that the brand chose, or the names of its API.
 * They differ in spaces and capitals more than in words, and a brand may deliver Google's columns as well.
 */
export const impact: Dialect = {
  name: 'IMPACT',
  columns: {
    ...generic.columns,
    itemId: ['Catalog Item Id', 'Item Id'],
    sku: generic.columns.sku.filter((name) => name !== 'Item Id'),
  },
  isParentRow,
  parentOf: ({ parentSku }) => parentSku,
}

/**
 * A parent says so, or names itself as its parent. One that leaves its own parent blank is known by its variants alone, which may
 * stand before or far behind it: `skip_parent_offers`. A group id may equal the id of a product without variants: it says nothing.
 */
function isParentRow({ isParent, sku, parentSku }: RawRow): boolean {
  if (isParent !== undefined && /^(?:y|yes|true|1)$/i.test(isParent)) return true
  return sku !== undefined && sku === parentSku
}
