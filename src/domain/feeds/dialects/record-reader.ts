import type { Binding } from './bind-columns.ts'
import { decodeEntities, decodeUrl } from './entities.ts'
import { feedFields, type FeedField, type RawRow } from './field.ts'

const addresses = new Set<FeedField>(['link', 'landingLink', 'image'])
const prices = new Set<FeedField>(['price', 'salePrice', 'originalPrice'])

/** Makes what reads the fields of a row by their meaning. */
export function recordReader({ columns }: Pick<Binding, 'columns'>): (fields: string[]) => RawRow {
  const bound = feedFields.filter((field) => columns[field].length > 0)
  const readers = bound.map((field) => [field, valueReader(field, columns[field])] as const)
  return (fields) => {
    const row: RawRow = {}
    for (const [field, read] of readers) row[field] = read(fields)
    return row
  }
}

/**
 * The first of these columns that has a value. As long as another column has one, a price of 0 is none (RULINGS 25), and neither is
 * a product code without a digit: brands put other things there.
 */
function valueReader(field: FeedField, columns: number[]): (fields: string[]) => string | undefined {
  const read = cellReader(field)
  const isLesser = prices.has(field) ? isZero : field === 'upc' ? hasNoDigit : () => false
  return (fields) => {
    let lesser: string | undefined
    for (const column of columns) {
      const value = read(fields[column])
      if (value && !isLesser(value)) return value
      lesser ??= value || undefined
    }
    return lesser
  }
}

/** In letters. No field keeps as many; a cell of megabytes would be copied at each step of its reading. */
const longestCell = 16_384

function cellReader(field: FeedField): (cell: string | undefined) => string {
  const decode = addresses.has(field) ? decodeUrl : decodeEntities
  return (cell = '') => decode(cell.length > longestCell ? cell.slice(0, longestCell) : cell).trim()
}

/**
 * The column that a field of a row was read from; the first of its columns where all are blank. A price that is missing is missed
 * in the columns that the file has for it: Impact's own has a current price alone.
 */
export function columnRead(
  { columns }: Pick<Binding, 'columns'>,
  field: FeedField,
  fields: string[],
): number | undefined {
  const bound = field === 'price' && columns.price.length === 0 ? columns.salePrice : columns[field]
  const value = valueReader(field, bound)(fields)
  return bound.find((column) => cellReader(field)(fields[column]) === value) ?? bound[0]
}

const isZero = (price: string): boolean => !/[1-9]/.test(price) && /\d/.test(price)

const hasNoDigit = (code: string): boolean => !/\d/.test(code)
