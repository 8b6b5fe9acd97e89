import { parse, CsvError } from 'csv-parse/sync'
import type { z } from 'zod'
import type { Db, Tx } from '../db/prisma.ts'
import { DomainError, type Problem } from './errors.ts'

export type ImportCounts = { rows: number; created: number; updated: number; unchanged: number; dryRun: boolean }
export type Row<Value> = { line: number; value: Value }

const maxRows = 50_000
const maxProblems = 100

/** Reads a table with a header row. Every row is checked; `columns` maps header names to field names. Problems name line and column. */
export function readTable<Schema extends z.ZodType>(
  csv: string,
  schema: Schema,
  columns: Record<string, string>,
): { rows: Row<z.output<Schema>>[]; problems: Problem[] } {
  const { header, records } = parseCsv(csv)
  const unknown = header.filter((name) => !(name in columns))
  const problems: Problem[] = unknown.map((name) => ({
    field: `csv.header.${name}`,
    message: `is not a column of this table. Known: ${Object.keys(columns).join(', ')}.`,
  }))
  const rows = records.flatMap(({ line, cells }) => {
    const given = Object.fromEntries(
      header.flatMap((name, index) => (cells[index]?.trim() ? [[columns[name] ?? name, cells[index]]] : [])),
    )
    const parsed = schema.safeParse(given)
    if (parsed.success) return [{ line, value: parsed.data }]
    problems.push(
      ...parsed.error.issues.map((issue) => ({
        field: at(line, columnOf(columns, issue.path[0])),
        message: issue.message,
      })),
    )
    return []
  })
  if (records.length === 0) problems.push({ field: 'csv', message: 'has no row below its header.' })
  return { rows, problems }
}

/** Where a problem lies: the line of the file (the header is line 1) and the column. */
export const at = (line: number, column: string): string => `csv.line ${line}.${column}`

export function refuseImport(problems: Problem[]): void {
  if (problems.length === 0) return
  const shown = problems.slice(0, maxProblems)
  const more = problems.length > shown.length ? `\n… and ${problems.length - shown.length} more.` : ''
  const list = shown.map(({ field, message }) => `${field}: ${message}`).join('\n')
  throw new DomainError(
    'IMPORT_REFUSED',
    `The list has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}; nothing was written:\n${list}${more}`,
    { problems: shown },
  )
}

/** The second and later rows with the same key: a list that says two things about one object is refused. */
export function repeated<Value>(rows: Row<Value>[], column: string, key: (value: Value) => string): Problem[] {
  const firstLine = new Map<string, number>()
  return rows.flatMap(({ line, value }) => {
    const before = firstLine.get(key(value))
    if (before === undefined) firstLine.set(key(value), line)
    return before === undefined
      ? []
      : [{ field: at(line, column), message: `"${key(value)}" stands in line ${before} already.` }]
  })
}

class DryRun extends Error {
  readonly counts: ImportCounts
  constructor(counts: ImportCounts) {
    super('dry run')
    this.counts = counts
  }
}

/** Runs an import in one transaction; a dry run does all of it and takes it back, so that its answer is exact. */
export async function runImport(
  db: Db,
  dryRun: boolean,
  work: (tx: Tx) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  try {
    return await db.$transaction(
      async (tx) => {
        const counts = await work(tx)
        if (dryRun) throw new DryRun(counts)
        return counts
      },
      { timeout: 60_000 },
    )
  } catch (error) {
    if (error instanceof DryRun) return error.counts
    throw error
  }
}

type Parsed = { header: string[]; records: { line: number; cells: string[] }[] }

function parseCsv(csv: string): Parsed {
  try {
    const options = {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 100_000,
      to: maxRows + 2,
    } as const
    const all = parse(csv, options) as unknown as { record: string[]; info: { lines: number } }[]
    if (all.length > maxRows + 1) refuseImport([{ field: 'csv', message: `has more than ${maxRows} rows. Split it.` }])
    const [first, ...rest] = all
    const header = (first?.record ?? []).map((name) => name.trim().toLowerCase())
    // `lines` counts up to the record's end; the start is what a person looks for.
    return {
      header,
      records: rest.map(({ record, info }) => ({
        line: info.lines - record.join('').split('\n').length + 1,
        cells: record,
      })),
    }
  } catch (error) {
    if (error instanceof CsvError) refuseImport([{ field: `csv.line ${Number(error.lines)}`, message: error.message }])
    throw error
  }
}

function columnOf(columns: Record<string, string>, field: PropertyKey | undefined): string {
  return Object.entries(columns).find(([, name]) => name === field)?.[0] ?? String(field ?? '')
}
