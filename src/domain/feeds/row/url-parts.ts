/** The longest link that is looked at: a tracking link may carry a page's address with every character escaped. */
const longestLink = 8_000
const longestHost = 253
const longestLabel = 63

export type WebUrl = { ok: true; url: URL } | { ok: false; reason: string }

const refused = (reason: string): WebUrl => ({ ok: false, reason })

/**
 * Reads a link as a feed gives it: an http or https address of a named host. `&amp;` counts as `&`, and `//host` and `www.host`
 * as https. Control characters are refused, for a browser drops them silently (`java\nscript:`).
 */
export function readWebUrl(text: string): WebUrl {
  const trimmed = text.trim()
  if (trimmed === '') return refused('is blank.')
  if (trimmed.length > longestLink) return refused(`has more than ${longestLink} characters.`)
  if (/\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed())
    return refused('holds control characters or half a character.')
  const written = withScheme(trimmed.replaceAll(/&(?:amp;|#38;)+/gi, '&'))
  const url = URL.parse(written)
  if (url === null) return refused('is not an address.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused(`begins with ${url.protocol.slice(0, 20)} instead of https:`)
  if (url.username !== '' || url.password !== '') return refused('holds a user name or password.')
  url.hostname = url.hostname.replace(/\.$/, '')
  return isHostName(url.hostname) ? { ok: true, url } : refused('has no host name that others could reach.')
}

const withScheme = (text: string) => (/^(?:\/\/|www\.)/i.test(text) ? `https://${text.replace(/^\/\//, '')}` : text)

/** As RFC 1035 §2.3.4 has it; a name without a dot is known to one network only. */
function isHostName(name: string): boolean {
  const labels = name.split('.')
  const isEach = labels.every((label) => label.length > 0 && label.length <= longestLabel)
  return labels.length > 1 && isEach && name.length <= longestHost
}

/** A parameter of a query as it is written (`raw`), and its name as it is meant. */
export type Parameter = { raw: string; key: string; name: string }

/** The parameters of a URL in their order. Nothing is decoded but the names, so that what is kept is kept as it was. */
export function parametersOf(url: URL): Parameter[] {
  const parts = url.search.slice(1).split('&')
  return parts
    .filter((raw) => raw !== '' && raw !== '=')
    .map((raw) => {
      const at = raw.indexOf('=')
      const key = at === -1 ? raw : raw.slice(0, at)
      return { raw, key, name: decoded(key) }
    })
}

/** A part of a query as it is meant; as it stands where its escapes make no text. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/** Escapes in one form: `%2f` and `%2F` are the same character. */
export const evenEscapes = (part: string): string => part.replaceAll(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase())
