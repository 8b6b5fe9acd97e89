import { hash } from 'node:crypto'
import { withoutTail } from '../../text.ts'

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

/** What makes a price another price: how much, of what, under which promotion. */
export type PriceTerms = { amount: string; currency: string; promo?: JsonValue | undefined }

/**
 * SHA-256 over amount, currency and promotion: equal prices have equal signatures, however they were written (`12.5`, `12.50`; the
 * order of a promotion's fields).
 */
export function priceSignature({ amount, currency, promo }: PriceTerms): Buffer {
  const terms = { amount: shortAmount(amount), currency, promo: promo ?? null }
  return hash('sha256', canonicalJson(terms), 'buffer')
}

/** A plain decimal without zeros that say nothing. */
export function shortAmount(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = whole.replace(/^0+(?=\d)/, '')
  const cents = withoutTail(fraction, '0')
  return cents === '' ? digits : `${digits}.${cents}`
}

/** JSON whose fields are in the order of their names, at every depth; a field that is undefined is none. */
export const canonicalJson = (value: JsonValue): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
