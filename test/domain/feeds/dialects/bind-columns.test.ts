import { expect, test } from 'vitest'
import { bindColumns } from '../../../../src/domain/feeds/dialects/bind-columns.ts'
import { columnMapProblems, type ColumnMap } from '../../../../src/domain/feeds/dialects/column-map.ts'
import { feedFields, foldName, type FeedField } from '../../../../src/domain/feeds/dialects/field.ts'
import { dialects } from '../../../../src/domain/feeds/dialects/index.ts'
import { PermanentError } from '../../../../src/domain/queue/job-error.ts'

const needed = ['Name', 'Url', 'Price']
const bind = (header: string[], columnMap?: ColumnMap) => bindColumns(header, dialects.IMPACT, columnMap)

/** The names of the columns that a field is read from. */
const columnsOf = (header: string[], field: FeedField, columnMap?: ColumnMap) =>
  bind(header, columnMap).columns[field].map((column) => header[column])

const failureOf = (header: string[], columnMap?: ColumnMap) => {
  try {
    bind(header, columnMap)
  } catch (error) {
    expect(error).toBeInstanceOf(PermanentError)
    return error as PermanentError
  }
  throw new Error('it was bound')
}

test.each([
  ['title', 'Name, ProductName, Product Name, title, Title'],
  ['link', 'Url, URL, ProductURL, Product URL, Link, url, link'],
  ['sku', 'SKU, MerchantSKU, sku, merchant_sku, ProductSKU, Unique Merchant SKU'],
  ['itemId', 'CatalogItemId, ItemId, item_id, catalogItemId'],
  ['brand', 'Manufacturer, Brand, brand, manufacturer'],
  ['image', 'ImageUrl, ImageURL, Image URL, Image, PrimaryImage'],
  ['description', 'Description, ProductDescription, Product Description'],
  ['category', 'Category, ProductCategory, category, Product Type'],
  ['currency', 'Currency, CurrencyCode, currency'],
  ['stock', 'StockAvailability, Stock Availability, Availability, InStock'],
  ['upc', 'Gtin, GTIN, UPC, EAN, ISBN, upc, gtin, ean'],
  ['salePrice', 'SalePrice, Sale Price, CurrentPrice, Current Price'],
  ['price', 'Price, price, ListPrice, List Price'],
  ['originalPrice', 'OriginalPrice, Original Price, MSRP, RetailPrice, Retail Price'],
] satisfies [FeedField, string][])('S2 §7.1.1: %s is read from %s', (field, names) => {
  for (const name of names.split(', ')) {
    for (const header of [name, name.toUpperCase(), ` ${name} `, name.replaceAll(' ', '_'), name.replaceAll(' ', '-')])
      expect(columnsOf(['Title', 'Link', 'Price', 'Sale Price', header], field)).toContain(header)
  }
})

test.each([
  ['title', ['Title', 'Product Name', 'Name'], ['Name', 'Product Name', 'Title']],
  ['salePrice', ['Current Price', 'Sale Price'], ['Sale Price', 'Current Price']],
  ['price', ['List Price', 'Price'], ['Price', 'List Price']],
  ['upc', ['ISBN', 'EAN', 'UPC', 'Gtin'], ['Gtin', 'UPC', 'EAN', 'ISBN']],
] satisfies [FeedField, string[], string[]][])(
  'S2 §7.1.1: %s is read in an order of its own',
  (field, header, order) => {
    const rest = ['Name', 'Url', 'Price'].filter((name) => !header.includes(name))
    expect(columnsOf([...header, ...rest], field)).toEqual(order)
  },
)

const ir =
  'Unique Merchant SKU,Product Name,Product URL,Image URL,Current Price,Currency,Stock Availability,UPC,Original Price,Manufacturer,Product Description,Category,Parent SKU,Parent Name'
const custom =
  'Sku,Catalog Id,Category Path,Category Name,Manufacturer Name,Gtin,Url,Original Url,Name,Description,Image Url,Current Price,Original Price,Currency,Stock Availability'
const api =
  'CatalogItemId,Name,Description,Manufacturer,Url,ImageUrl,CurrentPrice,OriginalPrice,Currency,StockAvailability,Gtin,OriginalUrl'
const google =
  'id,title,description,link,image_link,availability,price,sale_price,sale_price_effective_date,brand,gtin,mpn,product_type,item_group_id'
const venues = 'NAME,URL,LAUNCH_DATE,VENUE,CITY,CATEGORY,PRICE'

test.each([
  [
    'IR',
    ir,
    'title link salePrice originalPrice currency sku upc brand category image stock description parentSku parentName',
  ],
  [
    'CUSTOM',
    custom,
    'title link landingLink salePrice originalPrice currency sku upc brand category image stock description',
  ],
  ['API', api, 'title link landingLink salePrice originalPrice currency itemId upc brand image stock description'],
  [
    'GOOGLE TXT',
    google,
    'title link price salePrice saleWindow sku upc mpn brand category image stock description groupId',
  ],
  ['a small CUSTOM', venues, 'title link price category'],
])('FORMATS 1.2: the columns of %s are known', (_, header, fields) => {
  const { columns, missing } = bind(header.split(','))
  expect(feedFields.filter((field) => columns[field].length > 0)).toEqual(fields.split(' '))
  expect(missing).toEqual(feedFields.filter((field) => !fields.split(' ').includes(field)))
})

test.each([
  ['promotion', 'Promotion, Promotions, PromotionIds, promotion_id'],
  ['couponCode', 'Coupon Code'],
  ['couponText', 'Coupon Code Description'],
] satisfies [FeedField, string][])('FORMATS 1.2: %s is read from %s', (field, names) => {
  for (const name of names.split(', ')) expect(columnsOf([...needed, name], field)).toEqual([name])
})

test('RULINGS 25: an item id is one only where the network gives it', () => {
  const header = [...needed, 'ItemId']
  expect(bindColumns(header, dialects.IMPACT).columns).toMatchObject({ itemId: [3], sku: [] })
  expect(bindColumns(header, dialects.GENERIC).columns).toMatchObject({ itemId: [], sku: [3] })
})

test('columns of no meaning and names that stand twice are told as the header spells them', () => {
  const { unknown, duplicates, columns } = bind(['Name', 'Url', 'Price', 'Text1', '', ' price ', 'Venue'])
  expect(unknown).toEqual(['Text1', 'Venue'])
  expect(duplicates).toEqual(['Price'])
  expect(columns.price).toEqual([2, 5])
})

test.each([
  ['Sale Price', 'sale_price'],
  ['SalePrice', 'SALE-PRICE'],
  ['g:sale_price', ' sale.price '],
  ['Ｓａｌｅ Price', 'saleprice'],
])('%j and %j are one name', (one, other) => {
  expect(foldName(one)).toBe(foldName(other))
})

test('issue 5 §2: a column map overrides a field, and leaves the others as they are', () => {
  const header = [...needed, 'Money2', 'Text1']
  expect(columnsOf(header, 'price', { price: 'money_2' })).toEqual(['Money2'])
  expect(columnsOf(header, 'price', { price: ['Money2', 'Price'] })).toEqual(['Money2', 'Price'])
  expect(columnsOf(header, 'title', { price: 'Money2' })).toEqual(['Name'])
  expect(columnsOf([...header, 'Sale Price'], 'salePrice', { salePrice: null })).toEqual([])
})

test.each([
  [{ prise: 'Price' }, '"prise" is no field; did you mean "price"?'],
  [{ price: 'Monny2' }, '"Monny2", mapped to price, is no column of it; did you mean "Money2"?'],
  [{ price: ['Price', 'Elsewhere'] }, '"Elsewhere", mapped to price, is no column of it.'],
  [{ price: 7 }, 'The columns of price must be names, or null.'],
  [{ price: [''] }, 'The columns of price must be names, or null.'],
])('issue 5 §2: the column map %j is refused', (columnMap, message) => {
  const failure = failureOf([...needed, 'Money2'], columnMap as ColumnMap)
  expect(failure).toMatchObject({ code: 'FEED_COLUMN_MAP_INVALID' })
  expect(failure.message).toContain(message)
  expect(failure.message).toContain('Its columns: "Name", "Url", "Price", "Money2".')
})

test.each([[null], [[]], ['Price'], [7]])('issue 5 §2: %j is no column map', (map) => {
  expect(columnMapProblems(map)).toHaveLength(1)
})

test('a column map can be judged before there is a file', () => {
  expect(columnMapProblems({ price: 'Money2', upc: ['A', 'B'], brand: null })).toEqual([])
})

test.each([
  [
    'the title',
    ['Nmae', 'Url', 'Price'],
    'No column tells the title: looked for Name, Product Name,',
    'the nearest is "Nmae"',
  ],
  [
    'the link',
    ['Name', 'Lnk', 'Price'],
    'No column tells the link: looked for Url, Product URL,',
    'the nearest is "Lnk"',
  ],
  [
    'the price',
    ['Name', 'Url', 'Pirce'],
    'No column tells the price: looked for Price, List Price, Sale Price',
    'the nearest is "Pirce"',
  ],
])(
  'issue 5 §2: a file without %s fails at once, with what it has and what was looked for',
  (_, header, looked, near) => {
    const failure = failureOf(header)
    expect(failure).toMatchObject({ code: 'FEED_COLUMNS_MISSING' })
    expect(failure.message).toContain(looked)
    expect(failure.message).toContain(near)
    expect(failure.message).toContain(`Its columns: "${header.join('", "')}".`)
  },
)

test('issue 5 §2: all that a file lacks is said at once, and nothing far away is proposed', () => {
  const { message } = failureOf(['<html><head>', 'whatever'])
  expect(message).toMatch(/No column tells the title.*No column tells the link.*No column tells the price/)
  expect(message).not.toContain('nearest')
})

test('a list price alone is no price, a sale price alone is one', () => {
  expect(failureOf(['Name', 'Url', 'MSRP'])).toMatchObject({ code: 'FEED_COLUMNS_MISSING' })
  expect(bind(['Name', 'Url', 'Sale Price']).columns.salePrice).toEqual([2])
})

test.each([
  ['a product', ['1', 'Knife', 'https://shop.example/1', '9.99'], 'it looks like a product'],
  ['1,001 columns', Array.from({ length: 1_001 }, (_, index) => `c${index}`), '1001 columns, more than 1000'],
  ['500,000 columns', Array.from({ length: 500_000 }, () => 'c'), '500000 columns, more than 1000'],
])('issue 5 §2: a header that is %s is none', (_, header, message) => {
  const failure = failureOf(header)
  expect(failure).toMatchObject({ code: 'FEED_HEADER_UNUSABLE', message: expect.stringContaining(message) })
  expect(failure.message.length).toBeLessThan(2_000)
})

test('a header of 1,000 columns is bound, and a failure tells as many as it has room for', () => {
  const header = Array.from({ length: 1_000 }, (_, index) => `c${index}`)
  expect(bind([...needed, ...header].slice(0, 1_000)).unknown).toHaveLength(997)
  expect(failureOf(header).message).toMatch(/"c137" and 862 more\.$/)
})
