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

/** The first of these columns that has a value. A price of 0 is none as long as another column has one (RULINGS 25). */
function valueReader(field: FeedField, columns: number[]): (fields: string[]) => string | undefined {
  const decode = addresses.has(field) ? decodeUrl : decodeEntities
  const isLesser = prices.has(field) ? isZero : () => false
  return (fields) => {
    let lesser: string | undefined
    for (const column of columns) {
      const value = decode(fields[column] ?? '').trim()
      if (value && !isLesser(value)) return value
      lesser ??= value || undefined
    }
    return lesser
  }
}

const isZero = (price: string): boolean => !/[1-9]/.test(price) && /\d/.test(price)
