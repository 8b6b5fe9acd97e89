import { readId } from '../domain/global-id.ts'
import { UsageError } from './error.ts'

/** The row that a person named, by its number or by its global id as GraphQL shows it. */
export function parseRowId(text: string, typename: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text)
  const found = readId(text)
  if (found?.typename === typename) return BigInt(found.id)
  const what = found ? `is the id of a ${found.typename}` : 'is no id'
  throw new UsageError(`"${text.slice(0, 100)}" ${what}: give the number or the global id of a ${typename}.`)
}
