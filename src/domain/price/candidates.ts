import { readAmount, type AmountHints } from './amount.ts'
import type { CurrencySign } from './currency-signs.ts'
import { currencyAfter, currencyBefore, skip, skipBack } from './nearby-currency.ts'
import type { Token } from './price-text.ts'
import { nowWords, otherThings, priceWords, rangeWords } from './price-words.ts'
import { inCents, isBroken, isNegative, isPartOfWord } from './surroundings.ts'
import type { WrittenNumber } from './written-numbers.ts'

/**
 * An amount that may be the price. `isNow`: the text says that it is asked now. `isLabelled`: no word before it speaks against it
 * being a price at all.
 */
export type Candidate = {
  amount: string
  isNegative: boolean
  isNow: boolean
  isLabelled: boolean
  sign: CurrencySign | null
  number: WrittenNumber
}

/** The amounts of a text that may be its price, from left to right. */
export function candidatesOf(tokens: Token[], numbers: WrittenNumber[], hints: AmountHints): Candidate[] {
  return numbers.flatMap((number, index) => {
    const before = tokens.slice(numbers[index - 1]?.end ?? 0, number.start)
    const candidate = isBroken(tokens, numbers, index) ? null : candidateOf(tokens, number, before, hints)
    return candidate === null ? [] : [candidate]
  })
}

function candidateOf(tokens: Token[], number: WrittenNumber, before: Token[], hints: AmountHints): Candidate | null {
  const { sign, start } = signOf(tokens, number, hints.currency)
  const labels = before.filter(({ kind }) => kind === 'word').map(({ text }) => text.toLowerCase())
  if (labels.some((label) => otherThings.has(label))) return null
  if (sign === null && isPartOfWord(tokens, number)) return null
  const amount = readAmount(number.written, { ...hints, currency: sign?.currency ?? hints.currency })
  if (amount === null) return null
  return {
    amount: inCents(tokens, number, amount),
    isNegative: isNegative(tokens, number, start),
    isNow: nowWords.has(labels.at(-1) ?? '') || (sign !== null && nowWords.has(labels.at(-2) ?? '')),
    isLabelled: labels.every((label) => priceWords.has(label)),
    sign,
    number,
  }
}

/** The currency beside or inside a number, and where the number begins with it. A code wins over a sign, which may mean several. */
function signOf(tokens: Token[], { start, end }: WrittenNumber, hint?: string) {
  const left = currencyBefore(tokens, skipBack(tokens, start, /^[ :=-]$/), hint)
  const outer = left === null ? null : currencyBefore(tokens, skipBack(tokens, left.start, /^[ :(]$/), hint)
  const right = currencyAfter(tokens, skip(tokens, end, /^[ ,.(:–—-]$/), hint)
  const middle = tokens.slice(start, end).findIndex(({ kind }) => kind === 'sign')
  const inside = middle === -1 ? null : currencyAfter(tokens, start + middle, hint)
  const signs = [left, inside, right, outer].flatMap((found) => (found === null ? [] : [found.sign]))
  const sign = signs.find(({ isCertain }) => isCertain) ?? signs.find(({ currency }) => currency) ?? signs[0] ?? null
  return { sign, start: left?.start ?? start }
}

/** Whether two neighbouring amounts have nothing between them but a dash or "to", and their currencies. */
export function isRange(tokens: Token[], numbers: WrittenNumber[]): boolean {
  return numbers.some((number, index) => {
    const next = numbers[index + 1]
    if (next === undefined) return false
    const start = currencyAfter(tokens, skip(tokens, number.end, /^ $/))?.end ?? number.end
    const end = currencyBefore(tokens, skipBack(tokens, next.start, /^ $/))?.start ?? next.start
    const between = tokens.slice(start, end).map(({ text }) => text)
    return rangeWords.has(between.join('').trim().toLowerCase())
  })
}
