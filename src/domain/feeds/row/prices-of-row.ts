import { parsePrice, type ParsedPrice, type PriceCode } from '../../price.ts'
import type { DecimalMark } from '../../price/amount.ts'
import { compareAmounts } from '../../price/compare-amounts.ts'
import { readCurrencyCode } from '../../price/currency-codes.ts'
import { readCurrencySign } from '../../price/currency-signs.ts'
import { isOnSale, readSaleWindow, type SaleColumns } from './sale-window.ts'

type Cell = string | null | undefined

/**
 * The price columns of a row as S2 §7.1.1 groups them: `salePrice` also holds a column named CurrentPrice, `originalPrice` MSRP and
 * RetailPrice. `feedCurrency` is the feed's default, `decimalMark` that of the feed or its file, if it is known.
 */
export type PriceColumns = {
  price?: Cell
  salePrice?: Cell
  originalPrice?: Cell
  saleWindow?: SaleColumns | undefined
  currency?: Cell
  feedCurrency?: Cell
  decimalMark?: DecimalMark | undefined
  now: Date
}

export type PriceColumn = 'price' | 'salePrice' | 'currency'

/** What a shopper pays, what it cost before (only where that was more), and in what; or which column is wrong, and how. */
export type PricesOfRow =
  | { ok: true; amount: string; originalAmount: string | null; currency: string }
  | { ok: false; code: PriceCode | 'CURRENCY_UNKNOWN' | 'CURRENCY_CONFLICT'; column: PriceColumn }

type Read = { column: PriceColumn; parsed: ParsedPrice }

/**
 * The prices of a row: the sale price where there is one now, else the price. What it cost before is the column that says so,
 * else the price beside a sale price.
 */
export function pricesOfRow(row: PriceColumns): PricesOfRow {
  const column = columnCurrency(row.currency)
  if (column === undefined) return { ok: false, code: 'CURRENCY_UNKNOWN', column: 'currency' }
  const feedCurrency = readCurrencyCode(row.feedCurrency ?? '')
  const hints = { currency: column ?? feedCurrency ?? undefined, decimalMark: row.decimalMark }
  const read = (cell: Cell) => parsePrice(cell ?? '', hints)

  const price = read(row.price)
  const sale = read(row.salePrice)
  const isSale = isPresent(sale) && isSaleOn(row)
  const chosen: Read = isSale ? { column: 'salePrice', parsed: sale } : withoutSale(price, sale)
  if (!chosen.parsed.ok) return { ok: false, code: chosen.parsed.code, column: chosen.column }

  const currency = column ?? chosen.parsed.currency ?? feedCurrency
  if (currency === null) return { ok: false, code: 'CURRENCY_UNKNOWN', column: 'currency' }
  if (isOther(chosen.parsed, currency)) return { ok: false, code: 'CURRENCY_CONFLICT', column: chosen.column }
  const before = read(row.originalPrice)
  const original = isPresent(before) || !isSale ? before : price
  return {
    ok: true,
    amount: chosen.parsed.amount,
    originalAmount: higher(original, chosen.parsed.amount, currency),
    currency,
  }
}

/** A sale price that is blank or zero means that there is no sale (RULINGS 25). */
const isPresent = (price: ParsedPrice) => price.ok || (price.code !== 'PRICE_MISSING' && price.code !== 'PRICE_ZERO')

/** A window that nobody can read is no reason to show a price that may be over: the other one is still asked for. */
function isSaleOn({ saleWindow, now }: PriceColumns): boolean {
  const read = readSaleWindow(saleWindow ?? {})
  return read.ok && isOnSale(read.window, now)
}

/** The price; where its column is blank and the sale price is zero, that is what to say: zero means withheld. */
function withoutSale(price: ParsedPrice, sale: ParsedPrice): Read {
  const isWithheld = !price.ok && price.code === 'PRICE_MISSING' && !sale.ok && sale.code === 'PRICE_ZERO'
  return isWithheld ? { column: 'salePrice', parsed: sale } : { column: 'price', parsed: price }
}

/** Null: the column is blank; undefined: it names no currency that there is. */
function columnCurrency(cell: Cell): string | null | undefined {
  const text = (cell ?? '').trim()
  if (text === '') return null
  if (text.length > 20) return undefined
  return readCurrencyCode(text) ?? readCurrencySign(text.replaceAll(' ', ''))?.currency
}

const isOther = (price: ParsedPrice, currency: string) =>
  price.ok && price.isCurrencyCertain === true && price.currency !== currency

/** The price before, if it is one, of the same currency, and more than what is asked now. */
function higher(price: ParsedPrice, amount: string, currency: string): string | null {
  if (!price.ok || isOther(price, currency)) return null
  return compareAmounts(price.amount, amount) > 0 ? price.amount : null
}
