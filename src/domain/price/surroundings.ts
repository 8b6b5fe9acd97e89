import type { Token } from './price-text.ts'
import { units } from './price-words.ts'
import { currencyBefore, skip } from './nearby-currency.ts'
import type { WrittenNumber } from './written-numbers.ts'

/** Whether a number is a percentage. */
export const isPercent = (tokens: Token[], { end }: WrittenNumber): boolean =>
  tokens[skip(tokens, end, /^ $/)]?.text === '%'

/** `MX924`, `1e5`, `1E+03`, `12 cm`, `2x` and `12.99 XYZ` (no currency that there is) hold numbers that are no amounts. */
export function isPartOfWord(tokens: Token[], { start, end }: WrittenNumber): boolean {
  const [glued, next, behind] = [tokens[end], tokens[end + 1], tokens[skip(tokens, end, /^ $/)]]
  if (tokens[start - 1]?.kind === 'word' || (glued?.kind === 'word' && next?.kind === 'digits')) return true
  if (/^e$/i.test(glued?.text ?? '') && /^[+-]$/.test(next?.text ?? '')) return true
  return behind?.kind === 'word' && (isUnit(behind.text) || isUnknownCode(behind.text))
}

/** One capital letter is rather a currency: `1 G`, `1 L`. */
const isUnit = (word: string) => units.has(word.length === 1 ? word : word.toLowerCase())

const taxWords = new Set('VAT GST TTC TVA INC NET EXC IVA DPH'.split(' '))

const isUnknownCode = (word: string) => /^[A-Z]{3}$/.test(word) && !taxWords.has(word)

/**
 * Whether a number is only a piece of something: another is glued to it by a mark that makes no amount (`10/20`, `11:30`,
 * `12..99`), or follows after a blank (`12 99`), and nobody can say which of them is meant. Twice the same is no riddle.
 */
export function isBroken(tokens: Token[], numbers: WrittenNumber[], index: number): boolean {
  const [before, number, after] = [numbers[index - 1], numbers[index], numbers[index + 1]]
  if (number === undefined || /\p{No}/u.test(tokens[number.end]?.text ?? '')) return true
  return areOne(tokens, before, number) || areOne(tokens, number, after)
}

function areOne(tokens: Token[], left: WrittenNumber | undefined, right: WrittenNumber | undefined): boolean {
  if (left === undefined || right === undefined || left.written === right.written) return false
  const gap = tokens.slice(left.end, right.start)
  return gap.every(({ kind }) => kind === 'mark') || (gap.length === 1 && gap[0]?.kind === 'blank')
}

/** A minus at the start of the text, glued to number or sign on the left, or to a number that ends the text, as in accounts. */
export function isNegative(tokens: Token[], number: WrittenNumber, signStart: number): boolean {
  // `- 5` is less than nothing, `- $5` a line of a list.
  if (tokens[0]?.text === '-' && number.start === 2 && signStart === 2) return true
  if (isMinus(tokens, number.start) || isMinus(tokens, signStart)) return true
  return (
    number.end === tokens.length - 1 && tokens[number.end]?.text === '-' && tokens[number.end - 1]?.kind === 'digits'
  )
}

/** A minus before this token that joins no words: `USD -5` and `$-5`, not `A-5`. */
function isMinus(tokens: Token[], at: number): boolean {
  if (tokens[at - 1]?.text !== '-') return false
  const before = tokens[at - 2]
  return before === undefined || before.kind === 'blank' || currencyBefore(tokens, at - 1) !== null
}

/** `99¢` is less than one of anything. */
export function inCents(tokens: Token[], { end }: WrittenNumber, amount: string): string {
  return tokens[end]?.text === '¢' && /^\d\d?$/.test(amount) ? `0.${amount.padStart(2, '0')}` : amount
}
