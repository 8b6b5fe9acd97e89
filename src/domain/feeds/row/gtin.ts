/**
 * The digits of a product code, kept as they are: leading zeros are part of it, and none are added, for a shop's own short code
 * padded to twelve digits would name somebody else's product. `isValid`: length and check digit are those of a GTIN, UPC, EAN or
 * ISBN. `note`: why a cell that holds something gave no code.
 */
export type Gtin = { gtin: string | null; isValid: boolean; note?: GtinNote }

export type GtinNote = 'GTIN_UNREADABLE' | 'GTIN_SHORTENED'

const nothing: Gtin = { gtin: null, isValid: false }
const longestCell = 100
const longestCode = 14

/** Reads a product code of a feed or page. A number that a spreadsheet shortened (`2.08922E+11`) has lost its digits. */
export function readGtin(text: string | null | undefined): Gtin {
  const cell = (text ?? '').trim()
  if (cell === '') return nothing
  if (cell.length > longestCell) return { ...nothing, note: 'GTIN_UNREADABLE' }
  const code = cell.replace(/^(?:urn:)?(?:upc|ean|gtin|isbn)(?:-?(?:8|10|12|13|14|a|e)(?=[\s:]))?\s?[:#]?/i, '').trim()
  if (/^\d(?:[.,]\d*)?e\+?\d+$/i.test(code)) return { ...nothing, note: 'GTIN_SHORTENED' }
  const isbn = readIsbn10(code)
  if (isbn !== null) return { gtin: isbn, isValid: true }
  const digits = code.replace(/[.,]0$/, '').replaceAll(/\D/g, '')
  if (/\p{L}/u.test(code) || digits.length === 0 || digits.length > longestCode)
    return { ...nothing, note: 'GTIN_UNREADABLE' }
  return /^0+$/.test(digits) ? nothing : { gtin: digits, isValid: isGtin(digits) }
}

/** Whether digits have the length and the check digit of a GTIN-8, UPC-A, EAN-13 or GTIN-14. */
export function isGtin(digits: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return false
  return digits.endsWith(checkDigit(digits.slice(0, -1)))
}

/** From the right, digits weigh three and one in turn. */
function checkDigit(digits: string): string {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}

/** The thirteen digits of an ISBN of ten, whose last may be an X; null: it is none. */
function readIsbn10(code: string): string | null {
  const plain = code.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!/^\d{9}[\dX]$/.test(plain)) return null
  const sum = plain
    .split('')
    .reduce((sum, digit, index) => sum + (digit === 'X' ? 10 : Number(digit)) * (10 - index), 0)
  const body = `978${plain.slice(0, 9)}`
  return sum % 11 === 0 ? body + checkDigit(body) : null
}
