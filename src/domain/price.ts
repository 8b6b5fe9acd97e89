import { readAmount, type DecimalMark } from './price/amount.ts'
import type { CurrencySign } from './price/currency-signs.ts'
import { refuseAmount } from './price/limits.ts'
import { currencyAfter, currencyBefore, skip, skipBack } from './price/nearby-currency.ts'
import { plainPriceText, tokensOf, type Token } from './price/price-text.ts'
import {
  blankWords,
  freeWords,
  nowWords,
  onRequest,
  otherThings,
  priceWords,
  rangeWords,
  units,
} from './price/price-words.ts'
import { writtenNumbers, type WrittenNumber } from './price/written-numbers.ts'
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

type Candidate = { amount: string; isNegative: boolean; isNow: boolean; isLabelled: boolean; sign: CurrencySign | null }

const refused = (code: PriceCode): ParsedPrice => ({ ok: false, code })

/**
 * Reads a price as shops and feeds write it, from text to text. Of several amounts the one with a currency is the price; of
 * several such the one behind "now", else the first. A range is refused, and so is what is zero, negative, absurd or no price.
 */
export function parsePrice(text: string, hints: PriceHints = {}): ParsedPrice {
  if (text.length > longest && text.trim().length > longest) return refused('PRICE_INVALID')
  const plain = plainPriceText(text)
  const words = withoutTail(plain.toLowerCase(), '!.*')
  if (blankWords.has(words)) return refused('PRICE_MISSING')
  if (freeWords.has(words)) return refused('PRICE_ZERO')
  const tokens = tokensOf(plain)
  const numbers = writtenNumbers(tokens).filter(({ end }) => !isPercent(tokens, end))
  if (isRange(tokens, numbers)) return refused('PRICE_RANGE')
  const candidate = choose(candidatesOf(tokens, numbers, hints))
  const isAsking = (candidate === undefined || candidate.sign === null) && onRequest.test(plain)
  if (isAsking) return refused('PRICE_ON_REQUEST')
  if (candidate === undefined || (candidate.sign === null && !candidate.isLabelled)) return refused('PRICE_INVALID')
  return judge(candidate, plain)
}

function judge({ amount, isNegative, sign }: Candidate, plain: string): ParsedPrice {
  const code = refuseAmount(amount)
  if (code === 'PRICE_ZERO') return refused(code)
  if (isNegative || /^\([^()]*\)$/.test(plain)) return refused('PRICE_NEGATIVE')
  if (code !== null) return refused(code)
  if (sign?.currency === undefined) return { ok: true, amount }
  return { ok: true, amount, currency: sign.currency, isCurrencyCertain: sign.isCertain }
}

function choose(candidates: Candidate[]): Candidate | undefined {
  const priced = candidates.filter(({ sign }) => sign !== null)
  const chosen = priced.length > 0 ? priced : candidates
  return chosen.find(({ isNow }) => isNow) ?? chosen[0]
}

const isPercent = (tokens: Token[], end: number) => tokens[skip(tokens, end, /^ $/)]?.text === '%'

/** Whether two neighbouring amounts have nothing between them but a dash or "to", and their currencies. */
function isRange(tokens: Token[], numbers: WrittenNumber[]): boolean {
  return numbers.some((number, index) => {
    const next = numbers[index + 1]
    if (next === undefined) return false
    const start = currencyAfter(tokens, skip(tokens, number.end, /^ $/))?.end ?? number.end
    const end = currencyBefore(tokens, skipBack(tokens, next.start, /^ $/))?.start ?? next.start
    const between = tokens.slice(start, end).map(({ text }) => text)
    return rangeWords.has(between.join('').trim().toLowerCase())
  })
}

function candidatesOf(tokens: Token[], numbers: WrittenNumber[], hints: PriceHints): Candidate[] {
  return numbers.flatMap((number, index) => {
    const start = numbers[index - 1]?.end ?? 0
    const candidate = candidateOf(tokens, number, tokens.slice(start, number.start), hints)
    return candidate === null ? [] : [candidate]
  })
}

function candidateOf(tokens: Token[], number: WrittenNumber, before: Token[], hints: PriceHints): Candidate | null {
  const { sign, start, end } = signOf(tokens, number, hints.currency)
  const labels = before.filter(({ kind }) => kind === 'word').map(({ text }) => text.toLowerCase())
  if (labels.some((label) => otherThings.has(label))) return null
  if (sign === null && isPartOfWord(tokens, number)) return null
  const amount = readAmount(number.written, { ...hints, currency: sign?.currency ?? hints.currency })
  if (amount === null) return null
  const isNow = nowWords.has(labels.at(-1) ?? '') || (sign !== null && nowWords.has(labels.at(-2) ?? ''))
  const isLabelled = labels.every((label) => priceWords.has(label))
  return { ...inCents(tokens, number, amount), isNegative: isNegative(tokens, start, end), isNow, isLabelled, sign }
}

/** The currency beside a number: a code before a sign (`USD $5`, `$5 CAD`), for the sign alone may mean several. */
function signOf(tokens: Token[], { start, end }: WrittenNumber, hint?: string) {
  const left = currencyBefore(tokens, skipBack(tokens, start, /^[ :=-]$/), hint)
  const outer = left === null ? null : currencyBefore(tokens, skipBack(tokens, left.start, /^[ :(]$/), hint)
  const right = currencyAfter(tokens, skip(tokens, end, /^[ ,.(–—-]$/), hint)
  const signs = [left, right, outer].flatMap((found) => (found === null ? [] : [found.sign]))
  const sign = signs.find(({ isCertain }) => isCertain) ?? signs.find(({ currency }) => currency) ?? signs[0] ?? null
  return { sign, start: left?.start ?? start, end: right?.end ?? end }
}

/** `MX924`, `1e5`, `12 cm` and `2x` hold numbers that are no amounts. */
function isPartOfWord(tokens: Token[], { start, end }: WrittenNumber): boolean {
  const behind = tokens[skip(tokens, end, /^ $/)]
  const isGlued =
    tokens[start - 1]?.kind === 'word' || (tokens[end]?.kind === 'word' && tokens[end + 1]?.kind === 'digits')
  return isGlued || (behind?.kind === 'word' && isUnit(behind.text))
}

/** One capital letter is rather a currency: `1 G`, `1 L`. */
const isUnit = (word: string) => units.has(word.length === 1 ? word : word.toLowerCase())

function inCents(tokens: Token[], { end }: WrittenNumber, amount: string): { amount: string } {
  return tokens[end]?.text === '¢' && /^\d\d?$/.test(amount) ? { amount: `0.${amount.padStart(2, '0')}` } : { amount }
}

/** A minus glued to number or sign on the left, or to the number at the end of the text, as accounting writes it. */
function isNegative(tokens: Token[], start: number, end: number): boolean {
  const isBefore = tokens[start - 1]?.text === '-' && tokens[start]?.kind !== 'blank' && tokens[start - 2]?.text !== '-'
  return isBefore || (end === tokens.length - 1 && tokens[end]?.text === '-' && tokens[end - 1]?.kind === 'digits')
}
