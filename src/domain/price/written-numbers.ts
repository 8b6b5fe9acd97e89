import { currencyAfter } from './nearby-currency.ts'
import type { Token } from './price-text.ts'

/** A number as it was written (digits, marks, apostrophes and blanks between thousands), and the tokens that it takes up. */
export type WrittenNumber = { written: string; start: number; end: number }

/** All numbers of a text, from left to right. `1 299,00`, `119. 95`, `50,-` and `35€ 99` are one number each. */
export function writtenNumbers(tokens: Token[]): WrittenNumber[] {
  const numbers: WrittenNumber[] = []
  let at = 0
  while (at < tokens.length) {
    if (tokens[at]?.kind === 'digits') {
      const number = readNumber(tokens, at)
      numbers.push(number)
      at = number.end
    } else {
      at += 1
    }
  }
  return numbers
}

const isMark = (token: Token | undefined) => token?.text === '.' || token?.text === ','
const isDigits = (token: Token | undefined, length?: number) =>
  token?.kind === 'digits' && (length === undefined || token.text.length === length)

function readNumber(tokens: Token[], first: number): WrittenNumber {
  let written = tokens[first]?.text ?? ''
  let at = first + 1
  for (;;) {
    const [part, length] = continuation(tokens, at, written)
    if (length === 0) break
    written += part
    at += length
  }
  const hasPoint = isMark(tokens[first - 1]) && tokens[first - 2]?.kind !== 'digits'
  // `.75` is three quarters; before a number that has its own mark, the first is only dirt.
  if (hasPoint && /^\d+$/.test(written)) written = `.${written}`
  return { written, start: hasPoint ? first - 1 : first, end: at }
}

/** What goes on a number at this token: the text that it adds, and how many tokens that takes. */
function continuation(tokens: Token[], at: number, written: string): [part: string, length: number] {
  const [one, two, three] = [tokens[at], tokens[at + 1], tokens[at + 2]]
  if (isMark(one) && isDigits(two)) return [one!.text + two!.text, 2]
  if (one?.text === "'" && isDigits(two, 3)) return [`'${two!.text}`, 2]
  if (one?.kind === 'blank' && isDigits(two, 3) && /^\d{1,3}(?: \d{3})*$/.test(written)) return [` ${two!.text}`, 2]
  if (isMark(one) && two?.kind === 'blank' && isDigits(three, 2) && !isMark(tokens[at + 3]))
    return [one!.text + three!.text, 3]
  return centsBehindSign(tokens, at, written)
}

/** `35€ 99`, `12€50`: where the sign stands for the decimal mark, two digits follow, and across a blank nothing else. */
function centsBehindSign(tokens: Token[], at: number, written: string): [part: string, length: number] {
  const found = tokens[at]?.kind === 'sign' && !/[.,]/.test(written) ? currencyAfter(tokens, at) : null
  if (found === null) return ['', 0]
  const blank = tokens[found.end]?.kind === 'blank' ? 1 : 0
  const end = found.end + blank + 1
  const isCents = isDigits(tokens[end - 1], 2) && (blank === 0 || end === tokens.length)
  if (!isCents || isMark(tokens[end]) || tokens[end]?.kind === 'sign') return ['', 0]
  return [`.${tokens[end - 1]!.text}`, end - at]
}
