import type { RowCode } from '../row-codes.ts'

/** Whole digits and cents of the highest price that is believed: 9,999,999.99. */
const mostDigits = 7

/** Why an amount in plain decimal is no price that may be shown; null: it may. Text is compared, so that nothing is rounded. */
export function refuseAmount(amount: string): Extract<RowCode, 'PRICE_ZERO' | 'PRICE_TOO_HIGH'> | null {
  const [whole = '', fraction = ''] = amount.split('.')
  if (/^0*$/.test(whole + fraction)) return 'PRICE_ZERO'
  if (whole.length > mostDigits) return 'PRICE_TOO_HIGH'
  const isOver = whole === '9'.repeat(mostDigits) && fraction.startsWith('99') && /[1-9]/.test(fraction.slice(2))
  return isOver ? 'PRICE_TOO_HIGH' : null
}
