import { hash } from 'node:crypto'

/** A product as a row of a file says it, in a few words; what is left out is the same for all. */
export type Product = {
  id: string
  by?: 'IMPACT_ITEM_ID' | 'NETWORK_ITEM_ID' | 'SKU' | 'URL_HASH'
  title?: string
  price?: string
  currency?: string
  url?: string
  inStock?: boolean
  original?: string
  promo?: string
}

const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** So many products, `p1` and on, each with this in common. */
export const products = (count: number, common: Omit<Product, 'id'> = {}, from = 1): Product[] =>
  Array.from({ length: count }, (_, index) => ({ id: `p${index + from}`, ...common }))

/** A product with all that a row has, but for its hashes. */
function fill({ id, by = 'SKU', ...given }: Product) {
  const url = given.url ?? `https://shop.example/${id}`
  return {
    by,
    identity: by === 'URL_HASH' ? sha256(url) : id,
    url,
    title: given.title ?? `Title of ${id}`,
    price: given.price ?? '10.00',
    currency: given.currency ?? 'USD',
    inStock: given.inStock ?? true,
    original: given.original ?? null,
    promo: given.promo ? JSON.stringify({ name: given.promo }) : null,
  }
}

/** What a chunk of a file puts into the staging tables: one row a product, the last of the chunk. */
export function stagingOf(chunk: Product[], firstLine: number) {
  const rows = new Map(
    chunk.map(fill).map((row, index) => [`${row.by} ${row.identity}`, { row, line: firstLine + index }]),
  )
  return Array.from(rows.values(), ({ row, line }, n) => ({
    n,
    line,
    identity_type: row.by,
    identity_value: row.identity,
    url_hash: sha256(row.url),
    folded_hash: sha256(row.url.toLowerCase()),
    version_hash: sha256(JSON.stringify([row.title, row.url, row.inStock, row.original])),
    signature: sha256(JSON.stringify([row.price, row.currency, row.promo])),
    amount: row.price,
    original_price: row.original,
    in_stock: row.inStock,
    currency: row.currency,
    title: row.title,
    link: `${row.url}?click=1`,
    url: row.url,
    brand: 'Brand',
    sku: row.by === 'SKU' ? row.identity : null,
    promo: row.promo,
  }))
}
