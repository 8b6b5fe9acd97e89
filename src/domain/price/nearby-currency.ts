import { readCurrencySign, type CurrencySign } from './currency-signs.ts'
import type { Token } from './price-text.ts'

/** `د.إ.`, `so'm` and `B/.` are the longest names, in tokens. */
const longest = 4

const join = (tokens: Token[], start: number, end: number) =>
  tokens
    .slice(start, end)
    .map(({ text }) => text)
    .join('')
    .replaceAll(' ', '')

const isPart = (token: Token | undefined) => token !== undefined && token.kind !== 'digits'

/** The currency that a text goes on with at this token, and where it ends. The longest name wins: `US$` is not `US`. */
export function currencyAfter(
  tokens: Token[],
  start: number,
  hint?: string,
): { sign: CurrencySign; end: number } | null {
  let most = 0
  while (most < longest && isPart(tokens[start + most])) most += 1
  for (let length = most; length > 0; length -= 1) {
    const isWhole = tokens[start + length - 1]?.kind !== 'blank'
    const sign = isWhole ? readCurrencySign(join(tokens, start, start + length), hint) : null
    if (sign !== null) return { sign, end: start + length }
  }
  return null
}

/** The currency that a text ends with before this token, and where it starts. */
export function currencyBefore(
  tokens: Token[],
  end: number,
  hint?: string,
): { sign: CurrencySign; start: number } | null {
  let most = 0
  while (most < longest && isPart(tokens[end - most - 1])) most += 1
  for (let length = most; length > 0; length -= 1) {
    const isWhole = tokens[end - length]?.kind !== 'blank'
    const sign = isWhole ? readCurrencySign(join(tokens, end - length, end), hint) : null
    if (sign !== null) return { sign, start: end - length }
  }
  return null
}

/** The first token at or after this one that is none of these; behind the last if all are. */
export function skip(tokens: Token[], from: number, skipped: RegExp): number {
  let at = from
  while (at < tokens.length && skipped.test(tokens[at]!.text)) at += 1
  return at
}

/** The same, leftwards: the place behind the last token before `from` that is none of these. */
export function skipBack(tokens: Token[], from: number, skipped: RegExp): number {
  let at = from
  while (at > 0 && skipped.test(tokens[at - 1]!.text)) at -= 1
  return at
}
