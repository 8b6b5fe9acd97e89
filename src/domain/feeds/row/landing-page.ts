import { decoded, parametersOf, readWebUrl } from './url-parts.ts'

const impact = 'pxf.io sjv.io 7eer.net evyy.net ojrq.net lusg.net vzew.net uikc.net'
const cj =
  'anrdoezrs.net dpbolvw.net jdoqocy.com kqzyfj.com tkqlhce.com emjcd.com ftjcfx.com lduhtrp.net tqlkg.com qksrv.net awltovhc.com'
const pepperjam = 'pntra.com pntrac.com pntrs.com pjtra.com pjatr.com gopjn.com'

/** The domains of the networks' click servers, and the parameter in which each carries the address of the page. */
const parametersOfDomain = new Map(
  [
    [impact, 'u'],
    [cj, 'url'],
    [pepperjam, 'url'],
    ['shareasale.com shareasale-analytics.com', 'urllink'],
    ['awin1.com zenaps.com', 'ued p'],
    ['avantlink.com avantmetrics.com', 'url'],
    ['linksynergy.com', 'murl rd_parm1'],
    ['tradedoubler.com', 'url'],
    ['webgains.com webgains.io', 'wgtarget'],
    ['redirectingat.com skimresources.com', 'url'],
    ['viglink.com', 'u'],
    ['flexlinkspro.com flexlinks.com', 'url'],
    ['linkconnector.com', 'url'],
    ['admitad.com', 'ulp'],
    ['rover.ebay.com', 'mpre'],
  ].flatMap(([domains = '', parameters = '']) =>
    domains.split(' ').map((domain): [string, string[]] => [domain, parameters.split(' ')]),
  ),
)

/** A network may sell through another; more than this is a riddle. */
const deepest = 3

export type LandingPage = { ok: true; url: URL; isTrackingLink: boolean } | { ok: false; reason: string }

/**
 * The page that a link leads to in the end. Only links of known click servers are opened up: `u` may mean anything elsewhere.
 * Where such a link does not tell its page, the link itself is the answer (`isTrackingLink`).
 */
export function landingPage(link: string): LandingPage {
  let page = readWebUrl(link)
  for (let depth = 0; page.ok; depth += 1) {
    const parameters = trackingDomain(page.url.hostname)
    const inner = parameters === null ? null : target(page.url, parameters)
    if (inner === null) return { ...page, isTrackingLink: parameters !== null }
    if (depth === deepest) return { ok: false, reason: `holds more than ${deepest} tracking links inside each other.` }
    page = { ok: true, url: inner }
  }
  return page
}

/** The parameters to look into if the host is a click server's or below one. */
function trackingDomain(host: string): string[] | null {
  const labels = host.split('.')
  for (const count of [2, 3]) {
    const parameters = parametersOfDomain.get(labels.slice(-count).join('.'))
    if (parameters !== undefined) return parameters
  }
  return null
}

function target(url: URL, names: string[]): URL | null {
  const given = parametersOf(url).filter(({ name }) => names.includes(name.toLowerCase()))
  for (const { raw, key } of given) {
    const page = readTarget(decoded(raw.slice(key.length + 1)))
    if (page !== null) return page
  }
  return null
}

/** An address inside a link may be escaped once more, and ShareASale leaves its scheme out. */
function readTarget(text: string): URL | null {
  const plain = /^https?%3a/i.test(text) ? decoded(text) : text
  const isBare = /^[a-z\d][a-z\d-]*(?:\.[a-z\d][a-z\d-]*)+(?:[/?#]|$)/i.test(plain)
  const page = readWebUrl(isBare ? `https://${plain}` : plain)
  return page.ok ? page.url : null
}
