import { z } from 'zod'
import { domainOf } from '../domain-name.ts'
import { text, webAddress } from '../input.ts'

const slug = text(100).regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'may hold only a–z, 0–9 and single hyphens, as in big-shop.')

const optional = { website: webAddress.nullish(), logoUrl: webAddress.nullish(), tier: text(50).nullish() }

export const NewRetailer = z
  .object({ name: text(200), slug: slug.nullish(), ...optional })
  .refine((given) => given.slug || slugOf(given.name), {
    path: ['slug'],
    message: 'is needed, because the name holds no letter a–z and no digit to make one from.',
  })
  .transform((given) => ({ ...given, slug: given.slug ?? slugOf(given.name), ...withDomain(given.website) }))
export type NewRetailerInput = z.input<typeof NewRetailer>

export const RetailerChanges = z
  .object({ name: text(200).optional(), slug: slug.optional(), ...optional })
  .transform((given) => ({ ...given, ...withDomain(given.website) }))
export type RetailerChangesInput = z.input<typeof RetailerChanges>

/** Letters that Unicode does not take apart into a plain one and a mark. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/** A name as it may stand in an address: "Möbel & Co." → "mobel-co". Empty where no letter a–z and no digit is left. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđðłþı]/g, (letter) => plainLetters[letter] ?? '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 100)
    .replace(/-$/, '')
}

/** What sources are matched to their retailer by. It goes with the website. */
const withDomain = (website: string | null | undefined): { domain?: string | null } =>
  website === undefined ? {} : { domain: domainOf(website) }
