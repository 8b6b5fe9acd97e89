import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bindColumns } from '../../../../src/domain/feeds/dialects/bind-columns.ts'
import { decodeEntities, decodeUrl } from '../../../../src/domain/feeds/dialects/entities.ts'
import type { RawRow } from '../../../../src/domain/feeds/dialects/field.ts'
import { dialects } from '../../../../src/domain/feeds/dialects/index.ts'
import { recordReader } from '../../../../src/domain/feeds/dialects/record-reader.ts'

/** A row of an Impact file, told by its columns. */
function read(cells: Record<string, string>): RawRow {
  const all = { Name: 'A', Url: 'https://shop.example/1', Price: '9', ...cells }
  return recordReader(bindColumns(Object.keys(all), dialects.IMPACT))(Object.values(all))
}

test('S2 §7.1.1: the example of a list price and a sale price', () => {
  const header = ['SKU', 'Name', 'Price', 'SalePrice', 'Availability', 'Url']
  const reader = recordReader(bindColumns(header, dialects.IMPACT))
  expect(reader(['PSA-001', 'Federal 9mm 50rd', '18.99', '15.99', 'in stock', 'https://shop.example/1'])).toEqual({
    title: 'Federal 9mm 50rd',
    link: 'https://shop.example/1',
    price: '18.99',
    salePrice: '15.99',
    sku: 'PSA-001',
    stock: 'in stock',
  })
})

test.each([
  ['the first with a value', { 'Sale Price': '7', 'Current Price': '8' }, '7'],
  ['the next where it is blank', { 'Sale Price': ' \u00A0', 'Current Price': '8' }, '8'],
  ['the next where it is nothing', { 'Sale Price': '0.00', 'Current Price': '8' }, '8'],
  ['nothing where no other is more', { 'Sale Price': '$0,00', 'Current Price': '' }, '$0,00'],
  ['words, which the parser judges', { 'Sale Price': 'POA', 'Current Price': '8' }, 'POA'],
  ['none where all are blank', { 'Sale Price': '', 'Current Price': ' ' }, undefined],
])('S2 §7.1.1: of several columns counts %s', (_, cells, price) => {
  expect(read(cells).salePrice).toBe(price)
})

test('S2 §7.1.1: UPCs keep their leading zeros, and a zero is a value of what is no price', () => {
  expect(read({ Gtin: ' 020892215513 ', SKU: '0', 'Product SKU': '7' })).toMatchObject({
    upc: '020892215513',
    sku: '0',
  })
})

test.each([
  [{ Gtin: 'New York', UPC: '020892215511' }, '020892215511'],
  [{ Gtin: '4006381333931', UPC: '020892215511' }, '4006381333931'],
  [{ Gtin: 'New York', UPC: '' }, 'New York'],
])('FORMATS 1.3: of the codes %j the one that counts is %s', (cells, upc) => {
  expect(read(cells).upc).toBe(upc)
})

test.each([
  ['Knife &amp; Fork', 'Knife & Fork'],
  ['9&#8243; &#x2013; 5&nbsp;%', '9″ – 5\u00A0%'],
  ['Gr&uuml;&szlig;e &Uuml;', 'Grüße Ü'],
  ['don&#146;t &euro;5', 'don’t €5'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['AT&T &unknown; &amp', 'AT&T &unknown; &amp'],
  ['&#0;&#xD800;&#x110000;&#7;', '&#0;&#xD800;&#x110000;&#7;'],
])('FORMATS 1.3: the text %j reads %j', (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded)
  expect(read({ Name: text }).title).toBe(decoded)
})

test.each([
  ['https://a.example/?a=1&amp;b=2', 'https://a.example/?a=1&b=2'],
  ['https://a.example/?a=1&#38;b=2&#x26;c=3', 'https://a.example/?a=1&b=2&c=3'],
  ['https://a.example/?a=1&copy;=2&lt=3', 'https://a.example/?a=1&copy;=2&lt=3'],
])('FORMATS 1.3: in the address %j only ampersands are entities', (url, decoded) => {
  expect(decodeUrl(url)).toBe(decoded)
  expect(read({ Url: url, 'Image Url': url, 'Original Url': url })).toMatchObject({
    link: decoded,
    image: decoded,
    landingLink: decoded,
  })
})

test('a text that was escaped comes back', () => {
  const escape = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('ü', '&uuml;')
  const text = fc.string({ unit: fc.constantFrom('a', '&', '<', '"', 'ü', ';', '#', 'amp', '38') })
  fc.assert(
    fc.property(text, (text) => {
      expect(decodeEntities(escape(text))).toBe(text)
    }),
  )
})

test.each([
  ['says so', { 'Is Parent': 'TRUE' }, true],
  ['names itself as its parent', { SKU: 'P1', 'Parent SKU': ' P1 ' }, true],
  ['names another as its parent', { SKU: 'V1', 'Parent SKU': 'P1' }, false],
  ['has no parent', { SKU: 'P1', 'Parent SKU': '' }, false],
  ['has no SKU and no parent', { SKU: '', 'Parent SKU': '' }, false],
  ['says that it is none', { 'Is Parent': 'N' }, false],
  ['is alone in its group', { SKU: 'P1', item_group_id: 'P1' }, false],
])('RULINGS 25: of a row that %s, Impact says parent: %#', (_, cells, isParent) => {
  expect(dialects.IMPACT.isParentRow(read(cells as Record<string, string>))).toBe(isParent)
  expect(dialects.GENERIC.isParentRow(read(cells as Record<string, string>))).toBe(false)
})
