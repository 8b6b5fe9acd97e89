import { z } from 'zod'
import { DomainError } from '../domain/errors.ts'
import { storable } from '../domain/input.ts'
import { isRowId } from './global-id.ts'
import { decodeOpaque, encodeOpaque } from '../domain/opaque.ts'

/** The parts that a cursor's key is made of. A cursor comes back from outside: nothing in it is believed. */
export const idPart = z.string().refine(isRowId).transform(BigInt)
export const uuidPart = z.guid()
export const textPart = z.string().refine(storable)

/** A place in a list under one of its orders. */
export function encodeCursor(order: string, key: readonly (string | bigint)[]): string {
  return encodeOpaque(JSON.stringify([order, ...key.map(String)]))
}

const ofList = {
  message: 'after: is not a cursor of this list in this order.',
  hint: 'Use the `endCursor` of a page of the same list, asked for in the same order, or leave `after` out to begin anew.',
}

/** What is said of a wrong cursor of a subscription. */
export const ofStream = {
  message: 'after: is not a cursor of this stream.',
  hint: 'Use the `cursor` of the last event or of StreamStart, or leave `after` out to begin now.',
}

/** The key inside a cursor; refuses one that another list or order made, and whatever is no cursor at all. */
export function decodeCursor<Key>(
  order: string,
  form: z.ZodType<Key>,
  cursor: string,
  { message, hint } = ofList,
): Key {
  const parts = z.tuple([z.literal(order)], z.string()).safeParse(parseJson(decodeOpaque(cursor)))
  const key = parts.success ? form.safeParse(parts.data.slice(1)) : undefined
  if (key?.success) return key.data
  throw new DomainError('BAD_USER_INPUT', message, { field: 'after', hint })
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
