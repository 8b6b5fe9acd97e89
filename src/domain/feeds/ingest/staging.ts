import type { Staging } from './copy-rows.ts'
import type { FeedRow } from '../row/feed-row.ts'

/** What tells the rows of a chunk apart, and whether they say something new. */
export const keys: Staging = {
  table: 'pg_temp.feed_keys',
  columns: {
    n: 'int4',
    identity_type: 'text',
    identity_value: 'text',
    url_hash: 'bytea',
    folded_hash: 'bytea',
    version_hash: 'bytea',
    signature: 'bytea',
  },
}

/** What they say. */
export const rows: Staging = {
  table: 'pg_temp.feed_rows',
  columns: {
    n: 'int4',
    line: 'int4',
    amount: 'numeric',
    original_price: 'numeric',
    in_stock: 'bool',
    currency: 'text',
    title: 'text',
    link: 'text',
    url: 'text',
    image_url: 'text',
    brand: 'text',
    category: 'text',
    upc: 'text',
    item_id: 'text',
    sku: 'text',
    promo: 'jsonb',
  },
}

export const keyOf = (row: FeedRow, n: number) => [
  n,
  row.identity.type,
  row.identity.value,
  row.urlHash,
  row.foldedHash,
  row.versionHash,
  row.signature,
]

export const rowOf = (row: FeedRow, n: number) => [
  n,
  row.line,
  row.amount,
  row.originalAmount,
  row.inStock,
  row.currency,
  row.title,
  row.link,
  row.url,
  row.imageUrl,
  row.brand,
  row.category,
  row.upc,
  row.itemId,
  row.sku,
  row.promo,
]
