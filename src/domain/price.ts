import { markOf, type DecimalMark } from './price/amount.ts'
import { candidatesOf, isRange, type Candidate } from './price/candidates.ts'
import { currencyOfWord } from './price/currency-codes.ts'
import { refuseAmount } from './price/limits.ts'
import { plainPriceText, tokensOf, type Token } from './price/price-text.ts'
import { blankWords, freeWords, onRequest } from './price/price-words.ts'
import { isPercent } from './price/surroundings.ts'
import { writtenNumbers } from './price/written-numbers.ts'
import type { RowCode } from './row-codes.ts'
import { withoutTail } from './text.ts'

/**
 * What is known beforehand. `currency`: that of the row or shop, which says what `$` and `kr` mean and whether there are
 * thousandths. `decimalMark`: the one that file or country uses; it decides where a single mark has three digits behind it.
 */
export type PriceHints = { currency?: string | undefined; decimalMark?: DecimalMark | undefined }

export type PriceCode = Extract<RowCode, `PRICE_${string}`>

/**
 * A price: a plain decimal, and the currency where the text names one. `isCurrencyCertain`: sign or code can mean no other.
 * Otherwise why it is none.
 */
export type ParsedPrice =
  | { ok: true; amount: string; currency?: string; isCurrencyCertain?: boolean }
  | { ok: false; code: PriceCode }

/** A price cell of a shop has a few words at most. What is longer is something else, and is not looked at. */
const longest = 300

const refused = (code: PriceCode): ParsedPrice => ({ ok: false, code })

/**
 * Reads a price as shops and feeds write it, from text to text. Of several amounts the one with a currency is the price; of
 * several such the one behind "now", else the first. A range is refused, and so is what is zero, negative, absurd or no price.
 */
export function parsePrice(text: string, hints: PriceHints = {}): ParsedPrice {
  if (text === '') return refused('PRICE_MISSING')
  if (text.length > longest && text.trim().length > longest) return refused('PRICE_INVALID')
  const plain = plainPriceText(text)
  return readEveryday(plain) ?? readWord(plain) ?? readTokens(plain, hints)
}

/** What nearly all files hold (`12`, `12.99`, `12.99 USD`), without the long way. */
function readEveryday(plain: string): ParsedPrice | null {
  const [, amount, code] = /^([1-9]\d{0,6}(?:\.\d\d)?)(?: ([A-Z]{3}))?$/.exec(plain) ?? []
  if (amount === undefined) return null
  if (code === undefined) return { ok: true, amount }
  const currency = currencyOfWord(code)
  return currency === null ? null : { ok: true, amount, currency, isCurrencyCertain: true }
}

function readWord(plain: string): ParsedPrice | null {
  const word = withoutTail(plain.toLowerCase(), '!.*')
  if (blankWords.has(word)) return refused('PRICE_MISSING')
  return freeWords.has(word) ? refused('PRICE_ZERO') : null
}

/**
 * The decimal mark that a price shows by itself, beyond doubt. EITHER: it may be read in two ways (`1.299`), and the hints decide;
 * null: it says nothing.
 */
export function decimalMarkOf(text: string, hints: PriceHints = {}): DecimalMark | 'EITHER' | null {
  if (text.length > longest) return null
  const tokens = tokensOf(plainPriceText(text))
  const { number } = choose(candidatesOf(tokens, numbersIn(tokens), hints)) ?? {}
  if (number === undefined) return null
  const mark = markOf(number.written)
  if (mark === 'EITHER') return mark
  // Where the sign stands for the mark (`35€99`), the number as it is read has one that nobody wrote.
  const marks = tokens.slice(number.start, number.end).filter(({ text }) => text === '.' || text === ',')
  const isAsWritten = marks.map(({ text }) => text).join('') === number.written.replaceAll(/[^.,]/g, '')
  return isAsWritten ? mark : null
}

const numbersIn = (tokens: Token[]) => writtenNumbers(tokens).filter((number) => !isPercent(tokens, number))

function readTokens(plain: string, hints: PriceHints): ParsedPrice {
  const tokens = tokensOf(plain)
  const numbers = numbersIn(tokens)
  const candidate = choose(candidatesOf(tokens, numbers, hints))
  const isNamed = candidate !== undefined && candidate.sign !== null
  if (!isNamed && onRequest.test(plain)) return refused('PRICE_ON_REQUEST')
  if (isRange(tokens, numbers)) return refused('PRICE_RANGE')
  if (candidate === undefined || (!isNamed && !candidate.isLabelled)) return refused('PRICE_INVALID')
  return judge(candidate, plain)
}

function choose(candidates: Candidate[]): Candidate | undefined {
  const named = candidates.filter(({ sign }) => sign !== null)
  const chosen = named.length > 0 ? named : candidates
  return chosen.find(({ isNow }) => isNow) ?? chosen[0]
}

function judge({ amount, isNegative, sign }: Candidate, plain: string): ParsedPrice {
  const code = refuseAmount(amount)
  if (code === 'PRICE_ZERO') return refused(code)
  if (isNegative || /^\([^()]*\)$/.test(plain)) return refused('PRICE_NEGATIVE')
  if (code !== null) return refused(code)
  if (sign?.currency === undefined) return { ok: true, amount }
  return { ok: true, amount, currency: sign.currency, isCurrencyCertain: sign.isCertain }
}
