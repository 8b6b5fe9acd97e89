import { DomainError } from '../domain/errors.ts'

const largestId = 2n ** 63n - 1n

/** Global ids are opaque to clients; inside they say the type and the row. */
export function encodeId(typename: string, id: bigint | number | string): string {
  return Buffer.from(`${typename}:${id}`).toString('base64url')
}

/** Takes a global id apart. Whatever is not one is the caller's mistake, not a fault of ours. */
export function decodeId(globalId: string): { typename: string; id: string } {
  const [, typename, id] = /^([A-Za-z]+):(\d{1,19})$/.exec(Buffer.from(globalId, 'base64url').toString('latin1')) ?? []
  if (!typename || !id || BigInt(id) > largestId) {
    throw new DomainError('BAD_USER_INPUT', `"${globalId.slice(0, 100)}" is not an id.`, {
      hint: 'Use the value of an `id` field as it is.',
    })
  }
  return { typename, id }
}
