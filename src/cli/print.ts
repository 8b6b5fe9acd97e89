import type { Context } from './context.ts'

/** Says one thing: the text to a person, the data to a program. */
export function print({ json, out }: Context, text: string, data: unknown): void {
  out.write(json ? `${toJson(data)}\n` : `${text}\n`)
}

/** Large ids are text in JSON, as in the API. */
export function toJson(data: unknown): string {
  return JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/** Rows with their cells one under the other. */
export function alignRows(rows: string[][]): string {
  const shown = rows.map((row) => row.map(visible))
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)))
  return shown
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A text from the database as a terminal may show it: no control characters, which could rewrite the screen. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
}

/** A moment as people read it, in UTC. One that JavaScript cannot read must not keep the rest of a list from being shown. */
export const shortTime = (at: Date): string =>
  Number.isNaN(at.getTime()) ? 'unreadable' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
