import { scrub } from '../../../log.ts'
import { cleanText } from '../../text.ts'

const longestText = 300
const longestValue = 200
const mostValues = 40

/**
 * A text of a file, short and clean enough to be kept with an error: without secrets, NUL and halves of surrogate pairs. It is a
 * copy: a slice would hold the whole piece of the file that it was cut from.
 */
export function shortText(text: string, max = longestText): string {
  const near = Buffer.from(text.slice(0, max * 2)).toString()
  return cleanText(scrub(text.length > max * 2 ? `${near}…` : near), max)
}

/**
 * A row as it is kept with an error: its fields that say something, each cut short. Fields of a list are named by the header,
 * or by their number where there is none.
 */
export function shortRow(row: readonly string[] | object, header: readonly string[] = []): Record<string, string> {
  const named = Array.isArray(row)
    ? (row as string[]).map((value, index) => [header[index]?.trim() || `column ${index + 1}`, value] as const)
    : (Object.entries(row) as [string, unknown][])
  const told = named.flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() ? [[shortText(name, 100), shortText(value, longestValue)] as const] : [],
  )
  return Object.fromEntries(told.slice(0, mostValues))
}
