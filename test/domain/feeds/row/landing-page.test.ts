import { expect, test } from 'vitest'
import { canonicalUrl } from '../../../../src/domain/feeds/row/canonical-url.ts'
import { landingPage } from '../../../../src/domain/feeds/row/landing-page.ts'

const page = 'https://shop.example/p/1?color=red'
const inside = encodeURIComponent(page)

function leadsTo(link: string) {
  const found = landingPage(link)
  return found.ok ? { url: found.url.href, isTrackingLink: found.isTrackingLink } : found.reason
}

test.each([
  `https://brand.pxf.io/c/123/456/789?prodsku=1&u=${inside}&intsrc=APIG_1`,
  `https://BRAND.PXF.IO/c/123/456/789?U=${inside}`,
  `http://brand.sjv.io/c/1/2/3?u=${inside}`,
  `https://brand.7eer.net/c/1/2/3?u=${inside}`,
  `https://brand.evyy.net/c/1/2/3?u=${inside}`,
  `https://ticketnetwork.lusg.net/c/1/2/3?u=${inside}`,
  `https://brand.pxf.io/c/1/2/3?u=${encodeURIComponent(inside)}`,
  `https://brand.pxf.io/c/1/2/3?prodsku=1&amp;u=${inside}`,
  `https://www.anrdoezrs.net/click-1-2?url=${inside}`,
  `https://www.jdoqocy.com/click-1-2?sid=x&url=${inside}`,
  `https://www.shareasale.com/m-pr.cfm?merchantID=1&userID=YOURUSERID&productID=2&urllink=${inside}`,
  `https://www.shareasale.com/r.cfm?b=1&u=YOURUSERID&m=2&urllink=${encodeURIComponent('shop.example/p/1?color=red')}`,
  `https://www.awin1.com/cread.php?awinmid=1&awinaffid=2&ued=${inside}`,
  `https://www.awin1.com/cread.php?awinmid=1&awinaffid=2&p=${inside}`,
  `https://www.avantlink.com/click.php?tt=cl&mi=1&url=${inside}`,
  `https://click.linksynergy.com/deeplink?id=x&mid=1&murl=${inside}`,
  `https://www.pntra.com/t/1?url=${inside}`,
])('issue 5 §2: %s leads to the page inside', (link) => {
  expect(leadsTo(link)).toEqual({ url: page, isTrackingLink: false })
})

test.each([
  ['a shop may mean anything by u', `https://shop.example/share?u=${inside}`],
  ['a host that only ends like a known one', `https://notpxf.io/c/1/2/3?u=${inside}`],
  ['a host that only begins like a known one', `https://pxf.io.shop.example/c/1/2/3?u=${inside}`],
])('S1: nothing is opened up for %s', (_what, link) => {
  expect(leadsTo(link)).toEqual({ url: link, isTrackingLink: false })
})

test.each([
  'https://brand.pxf.io/c/1/2/3?prodsku=1',
  'https://brand.pxf.io/c/1/2/3?u=',
  'https://brand.pxf.io/c/1/2/3?u=sku-1',
  'https://brand.pxf.io/c/1/2/3?u=javascript%3Aalert(1)',
  'https://brand.pxf.io/c/1/2/3?u=https%3A%2F%2Fuser%3Apass%40shop.example',
])('the tracking link %s tells no page', (link) => {
  expect(leadsTo(link)).toEqual({ url: link, isTrackingLink: true })
})

const nested = (levels: number): string =>
  levels === 0 ? page : `https://brand.pxf.io/c/1/2/3?u=${encodeURIComponent(nested(levels - 1))}`

test('a link inside a link is followed three times, and no more', () => {
  expect([1, 2, 3].map((levels) => leadsTo(nested(levels)))).toEqual(
    Array.from({ length: 3 }, () => ({ url: page, isTrackingLink: false })),
  )
  expect(leadsTo(nested(4))).toBe('holds more than 3 tracking links inside each other.')
})

test('S2 §3.4: a page has one hash, with the link around it and without', () => {
  const bare = canonicalUrl(page)
  expect(canonicalUrl(`https://brand.pxf.io/c/1/2/3?u=${inside}%26utm_source%3Dx`)).toEqual(bare)
})

test('links that tell no page are told apart by what is left of them', () => {
  const [one, other] = [1, 2].map((sku) => canonicalUrl(`https://brand.pxf.io/c/1/2/3?prodsku=${sku}&subId1=x`))
  expect(one).toMatchObject({ url: 'https://brand.pxf.io/c/1/2/3?prodsku=1', isTrackingLink: true })
  expect(other).not.toEqual(one)
})
