import { hash } from 'node:crypto'
import type { FailureCode } from '../../failure-codes.ts'
import type { DecimalMark } from '../../price/amount.ts'
import { cleanText } from '../../text.ts'
import { canonicalUrl, type CanonicalUrl } from './canonical-url.ts'
import type { FeedField, RawRow } from '../dialects/field.ts'
import type { DialectName } from '../dialects/index.ts'
import { readGtin } from './gtin.ts'
import { readIdentifier, resolveIdentity, type Identity } from './identity.ts'
import { canonicalJson, priceSignature } from './price-signature.ts'
import { pricesOfRow } from './prices-of-row.ts'
import { shortText } from './row-errors.ts'
import { readStock } from './stock.ts'
import { readWebUrl } from './url-parts.ts'

/** What a row of a file says of a product, believed, and what tells whether that is news. */
export type FeedRow = {
  line: number
  identity: Identity
  urlHash: Uint8Array
  foldedHash: Uint8Array
  /** Changes with anything that is kept of the row but its price. */
  versionHash: Uint8Array
  signature: Uint8Array
  amount: string
  originalAmount: string | null
  inStock: boolean
  currency: string
  title: string
  link: string
  url: string
  imageUrl: string | null
  brand: string | null
  category: string | null
  upc: string | null
  itemId: string | null
  sku: string | null
  promo: string | null
}

/** A row's texts are slices, which keep all the text alive that they were cut from; here they are copies. */
export function withOwnText({ urlHash, foldedHash, versionHash, signature, ...texts }: FeedRow): FeedRow {
  return { ...structuredClone(texts), urlHash, foldedHash, versionHash, signature }
}

/** Why a row is left out: what is wrong, and in which field. */
export type Rejection = { code: FailureCode; field: FeedField; message: string }

export type RowSettings = { dialect: DialectName; currency: string; decimalMark?: DecimalMark | undefined; now: Date }

const longest = { title: 1_000, brand: 200, category: 500, promo: 500 }

/** Reads a row as an offer, or says why it is none (S2 §7.1.1). */
export function readFeedRow(raw: RawRow, line: number, settings: RowSettings): FeedRow | Rejection {
  const title = cleanText(raw.title ?? '', longest.title)
  if (!title) return { code: 'TITLE_MISSING', field: 'title', message: 'The row has no title.' }
  const { link, landingLink } = raw
  if (!link && !landingLink) return { code: 'LINK_MISSING', field: 'link', message: 'The row has no link.' }
  const page = pageOf(landingLink, link)
  if (!page.ok) return { code: page.code, field: link ? 'link' : 'landingLink', message: `The link ${page.reason}` }
  const prices = pricesOfRow({
    ...raw,
    saleWindow: { start: raw.saleStart, end: raw.saleEnd, interval: raw.saleWindow },
    feedCurrency: settings.currency,
    decimalMark: settings.decimalMark,
    now: settings.now,
  })
  if (!prices.ok) {
    const message = `${prices.column} is "${shortText(raw[prices.column] ?? '')}".`
    return { code: prices.code, field: prices.column, message }
  }

  const identity = resolveIdentity({ itemId: raw.itemId, sku: raw.sku, hash: page.hash }, settings.dialect)
  if (!identity) return { code: 'IDENTITY_MISSING', field: 'itemId', message: 'Nothing tells the row from others.' }
  const said = {
    title,
    link: linkOf(raw),
    url: page.url,
    imageUrl: imageOf(raw.image),
    brand: textOf(raw.brand, longest.brand),
    category: textOf(raw.category, longest.category),
    upc: readGtin(raw.upc).gtin,
    itemId: readIdentifier(raw.itemId),
    sku: readIdentifier(raw.sku),
    originalAmount: prices.originalAmount,
    inStock: readStock(raw.stock).inStock,
  }
  const { amount, currency } = prices
  const promo = promoOf(raw)
  return {
    line,
    identity,
    urlHash: page.hash,
    foldedHash: page.foldedHash,
    versionHash: hash('sha256', JSON.stringify(Object.values(said)), 'buffer').subarray(0, 16),
    signature: priceSignature({ amount, currency, promo }),
    amount,
    currency,
    promo: promo && canonicalJson(promo),
    ...said,
  }
}

/** The page that the row names beside its link, if it is one, else the page that the link leads to. */
function pageOf(landingLink: string | undefined, link: string | undefined): CanonicalUrl {
  const landing = canonicalUrl(landingLink ?? '')
  return landing.ok || !link ? landing : canonicalUrl(link)
}

/**
 * The link as given, if it is one; the page in its place would look like a link that pays (RULINGS 26). Where it is the row's only
 * one, the page was read from it.
 */
const linkOf = ({ link = '', landingLink }: RawRow): string => (!landingLink || readWebUrl(link).ok ? link : '')

/** The promotion that the price holds under, as far as the row names one (S2 §4.2): with another one it is another price. */
function promoOf(raw: RawRow): Record<string, string> | null {
  const told = (['promotion', 'couponCode', 'couponText'] as const).flatMap((field) => {
    const text = textOf(raw[field], longest.promo)
    return text === null ? [] : [[field, text] as const]
  })
  return told.length === 0 ? null : Object.fromEntries(told)
}

const textOf = (text: string | undefined, max: number): string | null => (text ? cleanText(text, max) : null)

/** A picture is no reason to refuse an offer: one that cannot be shown is left out. */
function imageOf(text: string | undefined): string | null {
  const image = text ? readWebUrl(text) : undefined
  return image?.ok ? image.url.href : null
}
