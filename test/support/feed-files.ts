import { open, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'

export type Product = {
  id: string
  title?: string
  price?: string
  salePrice?: string
  url?: string
  stock?: string
  brand?: string
  sku?: string
  gtin?: string
}

const columns = [
  'CatalogItemId',
  'Name',
  'Url',
  'CurrentPrice',
  'OriginalPrice',
  'Currency',
  'StockAvailability',
  'Manufacturer',
  'Gtin',
]

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A CSV as Impact writes it. */
export function impactCsv(products: Iterable<Product>): string {
  const lines = [columns.join(',')]
  for (const {
    id,
    title = `Product ${id}`,
    price = '10.00',
    url = `https://shop.example/p/${id}`,
    ...rest
  } of products) {
    const fields = [id, title, url, price, '', 'USD', rest.stock ?? 'InStock', rest.brand ?? 'Acme', rest.gtin ?? '']
    lines.push(fields.map(quoted).join(','))
  }
  return `${lines.join('\n')}\n`
}

/** So many products, numbered from `from`. */
export const productsOf = (count: number, more: (n: number) => Partial<Product> = () => ({}), from = 1): Product[] =>
  Array.from({ length: count }, (_, index) => ({ id: `i${index + from}`, ...more(index + from) }))

/** A file without a name, open for reading. */
export async function openBytes(bytes: string | Uint8Array) {
  const path = join(tmpdir(), `freshet-test-${randomUUID()}`)
  await writeFile(path, bytes)
  const handle = await open(path)
  await unlink(path)
  return handle
}
