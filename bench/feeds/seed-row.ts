import { hash } from 'node:crypto'

/** What the peer makes of a row. */
export type SeedRow = {
  type: string
  value: string
  title: string
  url: string
  image: string | null
  urlHash: string
  amount: string
  currency: string
  signature: string
}

/** Maps a row in the plain way: no more than S2 §3 and §7.1.1 ask for. */
export function seedRow(fields: string[]): SeedRow | null {
  const [item = '', title = '', , link = '', image = '', current = '', original = '', currency = 'USD'] = fields
  const amount = Number(current || original)
  if (!title || !link || !(amount > 0)) return null
  const url = normalised(link)
  const urlHash = sha256(url)
  const terms = { amount, currency, promo: null }
  return {
    ...(item ? { type: 'IMPACT_ITEM_ID', value: item } : { type: 'URL_HASH', value: urlHash }),
    title,
    url,
    image: image || null,
    urlHash,
    amount: current || original,
    currency,
    signature: sha256(JSON.stringify(terms)).slice(0, 32),
  }
}

const sha256 = (text: string): string => hash('sha256', text, 'hex')
const tracking = /^(?:utm_.*|aff.*|ref|clickid|irclickid|irgwc|intsrc)$/

function normalised(link: string): string {
  const given = new URL(link)
  const url = new URL(given.searchParams.get('u') ?? link)
  for (const name of Array.from(url.searchParams.keys())) if (tracking.test(name)) url.searchParams.delete(name)
  url.searchParams.sort()
  url.hash = ''
  return url.href.replace(/\/$/, '')
}
