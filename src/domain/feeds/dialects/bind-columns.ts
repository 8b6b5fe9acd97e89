import { editDistance, nearest } from '../../../nearest.ts'
import { PermanentError } from '../../queue/job-error.ts'
import { shortText } from '../row/row-errors.ts'
import { columnMapProblems, type ColumnMap } from './column-map.ts'
import { feedFields, foldName, type Dialect, type FeedField } from './field.ts'

/** Which columns a field is read from, the first that has a value; they count from 0. */
export type Binding = {
  columns: Record<FeedField, number[]>
  /** Columns that mean nothing to Freshet, as the header spells them. */
  unknown: string[]
  /** Fields that this file does not tell. */
  missing: FeedField[]
  /** Names that several columns have. */
  duplicates: string[]
}

/** Without one of each no row can become an offer. */
const required: [FeedField, ...FeedField[]][] = [['title'], ['link'], ['price', 'salePrice']]

const mostColumns = 1_000
/** In letters; a message has 2,000. */
const longestList = 1_000

/** Finds the columns of a feed by the names in its header. It throws at once where no row of the file could become an offer. */
export function bindColumns(header: string[], dialect: Dialect, columnMap: ColumnMap = {}): Binding {
  refuseUnusable(header, dialect)
  const problems = [...columnMapProblems(columnMap), ...unknownColumns(header, columnMap)]
  if (problems.length > 0)
    throw new PermanentError(`The column map does not fit the file. ${problems.join(' ')} ${told(header)}`, {
      code: 'FEED_COLUMN_MAP_INVALID',
    })
  const namesOf = (field: FeedField) => mapped(columnMap, field) ?? dialect.columns[field]
  const places = placesOf(header)
  const columns = Object.fromEntries(
    feedFields.map((field) => [
      field,
      [...new Set(namesOf(field).flatMap((name) => places.get(foldName(name)) ?? []))],
    ]),
  ) as Binding['columns']
  const lacking = required.filter((fields) => fields.every((field) => columns[field].length === 0))
  if (lacking.length > 0) throw missingColumns(header, lacking, namesOf)
  const bound = new Set(Object.values(columns).flat())
  return {
    columns,
    unknown: header.filter((name, index) => name.trim() && !bound.has(index)),
    missing: feedFields.filter((field) => columns[field].length === 0),
    duplicates: [...places.values()].flatMap(([first = 0, second]) =>
      second === undefined ? [] : [header[first] ?? ''],
    ),
  }
}

/** The columns by their folded names; a column without a name is none. */
function placesOf(header: string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [index, name] of header.entries()) {
    const folded = foldName(name)
    if (folded) places.set(folded, [...(places.get(folded) ?? []), index])
  }
  return places
}

const mapped = (columnMap: ColumnMap, field: FeedField): string[] | undefined => {
  const names = columnMap[field]
  return names === undefined ? undefined : [names ?? []].flat()
}

function refuseUnusable(header: string[], dialect: Dialect): void {
  const refuse = (why: string) => {
    throw new PermanentError(`${why} ${told(header)}`, { code: 'FEED_HEADER_UNUSABLE' })
  }
  if (header.length > mostColumns) refuse(`The header has ${header.length} columns, more than ${mostColumns}.`)
  const isData = header.some((name) => /^\s*(?:https?:\/\/|[\d.,]+\s*$)/i.test(name))
  const known = new Set(Object.values(dialect.columns).flat().map(foldName))
  if (isData && !header.some((name) => known.has(foldName(name))))
    refuse('The first row is no header: it looks like a product.')
}

function unknownColumns(header: string[], columnMap: ColumnMap): string[] {
  const known = placesOf(header)
  return Object.entries(columnMap).flatMap(([field, names]) =>
    [names ?? []].flat().flatMap((name) => {
      if (typeof name !== 'string' || known.has(foldName(name))) return []
      const near = nearestColumn([name], header)
      return [`"${name}", mapped to ${field}, is no column of it${near ? `; did you mean "${near}"?` : '.'}`]
    }),
  )
}

function missingColumns(header: string[], lacking: FeedField[][], namesOf: (field: FeedField) => readonly string[]) {
  const lines = lacking.map((fields) => {
    const names = fields.flatMap(namesOf)
    const near = nearestColumn(names, header)
    const hint = near ? `; the nearest is "${near}"` : ''
    return `No column tells the ${fields[0]}: looked for ${names.join(', ') || 'none'}${hint}.`
  })
  return new PermanentError(`${lines.join(' ')} ${told(header)}`, { code: 'FEED_COLUMNS_MISSING' })
}

/** Names further apart than this part of their letters are not meant for each other. */
const furthest = 0.5

/** The column whose name is closest to one of these; nothing where none is close. */
function nearestColumn(wanted: string[], header: string[]): string | undefined {
  const [first, ...others] = header.filter((name) => foldName(name) && name.length <= 60)
  if (first === undefined) return undefined
  const distance = (name: string) => Math.min(...wanted.map((want) => partApart(foldName(want), foldName(name))))
  const best = nearest([first, ...others], distance)
  return distance(best) <= furthest ? shortText(best.trim(), 60) : undefined
}

const partApart = (a: string, b: string): number => editDistance(a, b) / Math.max(a.length, b.length)

/** The columns that the file has, for a person who looks for one; as many as a message has room for. */
function told(header: string[]): string {
  const names = header.filter((name) => name.trim())
  if (names.length === 0) return 'It names no column.'
  const fitting: string[] = []
  for (let room = longestList; fitting.length < names.length;) {
    const name = `"${shortText(names[fitting.length]?.trim() ?? '', 60)}"`
    room -= name.length + 2
    if (room < 0) break
    fitting.push(name)
  }
  const more = names.length > fitting.length ? ` and ${names.length - fitting.length} more` : ''
  return `Its columns: ${fitting.join(', ')}${more}.`
}
