import { hash } from 'node:crypto'
import { withoutTail } from '../../text.ts'
import { landingPage } from './landing-page.ts'
import { isTrackingParameter } from './tracking-parameters.ts'
import { evenEscapes, parametersOf } from './url-parts.ts'

/** The longest address that is kept, escapes included; what `webAddress` (input.ts) takes, too. */
const longest = 2_000

/**
 * `url` is the page, usable as it is. `hash` is what tells pages apart, `foldedHash` the same blind to upper and lower case in the
 * path: two hashes with one `foldedHash` are probably one page. `isTrackingLink`: the link does not tell which page it leads to.
 */
export type CanonicalUrl =
  | { ok: true; url: string; hash: Buffer; foldedHash: Buffer; isTrackingLink: boolean }
  | { ok: false; code: 'INVALID_URL'; reason: string }

/**
 * The one form of a link by which a page is known (S2 §3.4): led through tracking links to the page, scheme and host in small
 * letters, no fragment, no slash at the end, no tracking parameters, the others sorted by name. Its own canonical form is itself.
 */
export function canonicalUrl(text: string): CanonicalUrl {
  const page = landingPage(text)
  if (!page.ok) return { ok: false, code: 'INVALID_URL', reason: page.reason }
  const { protocol, host } = page.url
  const path = evenEscapes(withoutTail(page.url.pathname, '/'))
  const query = queryOf(page.url)
  const url = `${protocol}//${host}${path === '' ? '/' : path}${query}`
  if (url.length > longest)
    return { ok: false, code: 'INVALID_URL', reason: `has more than ${longest} characters, escapes (%20) included.` }
  const own = sha256(`${host}${path}${query}`)
  const folded = path.toLowerCase()
  return {
    ok: true,
    url,
    hash: own,
    foldedHash: folded === path ? own : sha256(`${host}${folded}${query}`),
    isTrackingLink: page.isTrackingLink,
  }
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** What is left of the query. Values of one name keep their order, for it may matter. */
function queryOf(url: URL): string {
  const kept = parametersOf(url)
    .filter(({ name }) => !isTrackingParameter(name))
    .map(({ raw, key }) => ({ key: evenEscapes(key), raw: evenEscapes(raw) }))
    .sort((one, other) => Number(one.key > other.key) - Number(one.key < other.key))
  return kept.length === 0 ? '' : `?${kept.map(({ raw }) => raw).join('&')}`
}
