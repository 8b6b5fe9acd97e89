import { editDistance, nearest } from '../../../nearest.ts'
import { feedFields, type FeedField } from './field.ts'

/** Columns that a feed reads a field from instead of those its dialect names, in this order; null or none: it is not read. */
export type ColumnMap = { [Field in FeedField]?: string | string[] | null }

const isField = (name: string): name is FeedField => feedFields.some((field) => field === name)

/** What is wrong with a column map whatever the file; nothing where it is fine. */
export function columnMapProblems(map: unknown): string[] {
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    return ['A column map is an object with names of fields, each with the name of its column or a list of such names.']
  return Object.entries(map).flatMap(([field, names]) => {
    if (!isField(field))
      return [`"${field}" is no field; did you mean "${nearest(feedFields, (known) => editDistance(field, known))}"?`]
    const all = [names ?? []].flat() as unknown[]
    return all.every((name) => typeof name === 'string' && name.trim())
      ? []
      : [`The columns of ${field} must be names, or null.`]
  })
}
