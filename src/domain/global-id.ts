import { decodeOpaque, encodeOpaque } from './opaque.ts'

export type GlobalId = { typename: string; id: string }

const largestId = 2n ** 63n - 1n

/** Whether digits are a number that a row can have. */
export const isRowId = (digits: string): boolean => /^\d{1,19}$/.test(digits) && BigInt(digits) <= largestId

/** Global ids are opaque to clients; inside they say the type and the row. */
export function encodeId(typename: string, id: bigint | number | string): string {
  return encodeOpaque(`${typename}:${id}`)
}

/** Takes a global id apart; nothing if it is none. */
export function readId(globalId: string): GlobalId | undefined {
  const [, typename, id] = /^([A-Za-z]+):(\d+)$/.exec(decodeOpaque(globalId) ?? '') ?? []
  return typename && id && isRowId(id) ? { typename, id } : undefined
}
