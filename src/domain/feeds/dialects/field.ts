/** What Freshet reads from a feed. Columns of any other meaning are passed over. */
export const feedFields = [
  'title',
  'link',
  'landingLink',
  'price',
  'salePrice',
  'originalPrice',
  'saleStart',
  'saleEnd',
  'saleWindow',
  'currency',
  'promotion',
  'couponCode',
  'couponText',
  'itemId',
  'sku',
  'upc',
  'mpn',
  'brand',
  'category',
  'image',
  'stock',
  'description',
  'parentSku',
  'parentName',
  'isParent',
  'groupId',
] as const

export type FeedField = (typeof feedFields)[number]

/** A row as the file tells it, by meaning: trimmed, without entities, and without what is blank. Nothing of it is believed yet. */
export type RawRow = { [Field in FeedField]?: string }

/**
 * How one network calls its columns. The first of a field's names that a row has a value under counts. Names are told apart by
 * letters and digits alone: `Sale Price`, `sale_price` and `SalePrice` are one.
 */
export type Dialect = {
  name: string
  columns: Record<FeedField, readonly string[]>
  /** Whether a row stands for its variants and is itself not for sale. */
  isParentRow: (row: RawRow) => boolean
  /** The SKU of the row that this one is a variant of. That row is a parent, wherever it stands and whatever it says. */
  parentOf: (row: RawRow) => string | undefined
}

/** How a name of a column is compared; Google's `g:` is a mark of XML that some leave in CSV. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^\s*g:/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
