export type Encoding = 'br' | 'gzip' | 'identity'

type Weighted = { name: string; quality: number }

/** The types that a GraphQL client asks for at the same address; a browser's page request names none of them. */
const apiTypes = new Set([
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
])

/**
 * Whether a request wants a page for people rather than an answer for a program. Only a header that names
 * `text/html` counts: `*\/*` is what programs send.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const wanted = parseWeighted(accept)
  const html = wanted.find(({ name }) => name === 'text/html')
  if (!html || html.quality === 0) return false
  const best = wanted.find(({ name }) => name === 'text/html' || apiTypes.has(name))
  return best === html
}

/** The smallest encoding that the client takes. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  const wanted = parseWeighted(acceptEncoding)
  const takes = (name: Encoding) => (wanted.find((each) => each.name === name)?.quality ?? 0) > 0
  if (takes('br')) return 'br'
  return takes('gzip') ? 'gzip' : 'identity'
}

/** Best first; equals stay in the order given. */
function parseWeighted(header: string | undefined): Weighted[] {
  return (header ?? '')
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)
      return { name, quality: Number.isNaN(quality) ? 0 : quality }
    })
    .toSorted((a, b) => b.quality - a.quality)
}
