/** Compares two plain decimals as text, so that nothing is rounded: below zero where the first is less, above where it is more. */
export function compareAmounts(one: string, other: string): number {
  const [whole = '', fraction = ''] = one.split('.')
  const [otherWhole = '', otherFraction = ''] = other.split('.')
  const digits = Math.max(whole.length, otherWhole.length)
  const cents = Math.max(fraction.length, otherFraction.length)
  const left = whole.padStart(digits, '0') + fraction.padEnd(cents, '0')
  const right = otherWhole.padStart(digits, '0') + otherFraction.padEnd(cents, '0')
  return Number(left > right) - Number(left < right)
}
