import { readId, type GlobalId } from '../domain/global-id.ts'

// The command line reads and shows them, too.
export { encodeId, isRowId, readId, type GlobalId } from '../domain/global-id.ts'

/** For arguments whose ids were checked at the door, see `global-id-check.ts`. */
export function decodeId(globalId: string): GlobalId {
  const found = readId(globalId)
  if (!found) throw new Error('An id was not checked before it was decoded.')
  return found
}

/** The number of the row that an id means; of an id that was not given, nothing. */
export function rowId(given: GlobalId): bigint
export function rowId(given: GlobalId | null | undefined): bigint | undefined
export function rowId(given: GlobalId | null | undefined): bigint | undefined {
  return given ? BigInt(given.id) : undefined
}
