import type { z } from 'zod'
import type { Problem } from '../errors.ts'
import { createBreather } from './breather.ts'
import { at, atHeader, readCsv } from './csv.ts'

/** A row of a list. `bad` names the columns whose cells were refused: the value is without them, and so is the whole list. */
export type Row<Value> = { line: number; value: Value; bad?: string[] }

/** The columns of a list by their name in the header, each with the field it fills; `required` ones must be there. */
export type Columns = { fields: Record<string, string>; required: string[] }

const maxColumns = 100

/** Reads a list and checks every row of it. Problems name line and column. Others have their turn meanwhile. */
export async function readTable<Schema extends z.ZodType>(
  csv: string,
  schema: Schema,
  columns: Columns,
): Promise<{ rows: Row<z.output<Schema>>[]; problems: Problem[] }> {
  const table = await readCsv(csv)
  if ('field' in table) return { rows: [], problems: [table] }
  const { header, records } = table
  const headerFault = unusableHeader(header, columns)
  if (headerFault.length > 0) return { rows: [], problems: headerFault }
  const problems = unknownColumns(header, columns)
  if (records.length === 0) problems.push({ field: 'csv', message: 'has no row below its header.' })
  const readRow = ({ line, cells }: (typeof records)[number]): Row<z.output<Schema>>[] => {
    const stray = cells.findIndex((cell, index) => cell.trim() && !header[index])
    if (stray >= 0) problems.push(strayCell(line, stray))
    const input = toInput(header, cells, columns)
    const parsed = schema.safeParse(input)
    if (parsed.success) return [{ line, value: parsed.data }]
    const { issues } = parsed.error
    for (const { path, message } of issues) problems.push({ ...at(line, columnOf(columns, path[0])), message })
    // The list is refused, but what can be said of the row's other cells is still to be said.
    const rest = schema.safeParse(without(input, new Set(issues.map(({ path }) => path[0]))))
    return rest.success ? [{ line, value: rest.data, bad: issues.map(({ path }) => columnOf(columns, path[0])) }] : []
  }
  const rows: Row<z.output<Schema>>[] = []
  const breathe = createBreather()
  for (const record of records) {
    await breathe()
    rows.push(...readRow(record))
  }
  return { rows, problems }
}

/** The second and later rows about one object: a list that says two things about it is refused. */
export function repeated<Value>(
  rows: Row<Value>[],
  column: string,
  key: (value: Value) => string,
  shown: (value: Value) => string = key,
): Problem[] {
  const firstLine = new Map<string, number>()
  return rows.flatMap(({ line, value, bad }) => {
    if (bad?.includes(column)) return []
    const before = firstLine.get(key(value))
    if (before === undefined) firstLine.set(key(value), line)
    return before === undefined
      ? []
      : [{ ...at(line, column), message: `"${shown(value)}" stands in line ${before} already.` }]
  })
}

const separators = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
] as const

/** What makes every row unreadable, so that it is said once and not for each of them. */
function unusableHeader(header: string[], { fields, required }: Columns): Problem[] {
  const separator = header.length === 1 ? separators.find(([sign]) => header[0]?.includes(sign)) : undefined
  if (separator)
    return [{ field: 'csv', message: `is separated by ${separator[1]}. Save it as CSV separated by commas.` }]
  if (header.length > maxColumns)
    return [{ field: 'csv', message: `has ${header.length} columns; at most ${maxColumns} are allowed.` }]
  const missing = required.filter((name) => !header.includes(name))
  const twice = header.filter((name, index) => name && header.indexOf(name) < index)
  return [
    ...missing.map((name) => ({
      ...atHeader(name),
      message: `is missing. Known columns: ${Object.keys(fields).join(', ')}.`,
    })),
    ...twice.map((name) => ({ ...atHeader(name), message: 'stands there twice.' })),
  ]
}

function unknownColumns(header: string[], { fields }: Columns): Problem[] {
  const known = Object.keys(fields)
  return header
    .filter((name) => name && !known.includes(name))
    .map((name) => ({ ...atHeader(name), message: `is not a column of this table. Known: ${known.join(', ')}.` }))
}

function strayCell(line: number, index: number): Problem {
  const message = `has a value in column ${index + 1}, which has no name in the header. A value with a comma needs quotes.`
  return { ...at(line), message }
}

function toInput(header: string[], cells: string[], { fields }: Columns): object {
  return Object.fromEntries(
    header.flatMap((name, index) => {
      const field = fields[name]
      return field && cells[index]?.trim() ? [[field, cells[index]]] : []
    }),
  )
}

function without(input: object, fields: Set<PropertyKey | undefined>): object {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !fields.has(field)))
}

function columnOf({ fields }: Columns, field: PropertyKey | undefined): string {
  return Object.entries(fields).find(([, name]) => name === field)?.[0] ?? String(field ?? '')
}
