import { storable } from '../../input.ts'

export type IdentityType = 'IMPACT_ITEM_ID' | 'NETWORK_ITEM_ID' | 'SKU' | 'URL_HASH'

export type Identity = { type: IdentityType; value: string }

/**
 * What a network's own item id is worth in each dialect (RULINGS 25). Null: it is not to be told apart by, as ShareASale's
 * ProductID, which changes; there the shop's own number counts, which the dialect reads as `sku`.
 */
export const itemIdentities = {
  IMPACT: 'IMPACT_ITEM_ID',
  AWIN: 'NETWORK_ITEM_ID',
  GENERIC: 'NETWORK_ITEM_ID',
  GOOGLE: null,
  CJ: null,
  AVANTLINK: null,
  RAKUTEN: null,
  SHAREASALE: null,
} as const satisfies Record<string, IdentityType | null>

export type IdentityDialect = keyof typeof itemIdentities

/** What a row has to be told apart by. `hash` is that of its canonical URL. */
export type Identifiers = {
  itemId?: string | null | undefined
  sku?: string | null | undefined
  hash?: Uint8Array | null | undefined
}

const longest = 200

/**
 * The strongest identifier that a row has (S2 §3.1): the network's item id, the shop's SKU, the address of the page. Null: it has
 * none (`IDENTITY_MISSING`). What many rows would share or nobody could look up again (`N/A`, `1.2E+11`, control characters) counts as absent.
 */
export function resolveIdentity({ itemId, sku, hash }: Identifiers, dialect: IdentityDialect): Identity | null {
  const type = itemIdentities[dialect]
  const item = type === null ? null : readIdentifier(itemId)
  if (type !== null && item !== null) return { type, value: item }
  const number = readIdentifier(sku)
  if (number !== null) return { type: 'SKU', value: number }
  return hash ? { type: 'URL_HASH', value: Buffer.from(hash).toString('hex') } : null
}

const placeholders = new Set([
  '0',
  '-',
  '--',
  'n/a',
  '#n/a',
  'na',
  'nan',
  'null',
  'none',
  'nil',
  'undefined',
  'unknown',
  'tbd',
  'default',
])

/** An item id or SKU as it is kept: blanks trimmed and single, case as given; null: it cannot tell anything apart. */
export function readIdentifier(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text.length > 10 * longest) return null
  const value = text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  const isReadable = value !== '' && value.length <= longest && storable(value) && !/\p{Cc}/u.test(value)
  if (!isReadable || placeholders.has(value.toLowerCase())) return null
  // A spreadsheet wrote a long number in short: the digits are lost, and others look the same now.
  return /^\d+[.,]?\d*e\+\d+$/i.test(value) ? null : value
}
