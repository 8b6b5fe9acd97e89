import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkTrackingTemplate, trackingUrl } from '../../../src/domain/sources/tracking-url.ts'

const url = 'https://shop.example/p/1?a=1&b=ü#x'
const encoded = 'https%3A%2F%2Fshop.example%2Fp%2F1%3Fa%3D1%26b%3D%C3%BC%23x'
const link = 'https://brand.pxf.io/c/1/2/3?prodsku=1'

test('RULINGS 26: the template of the source comes first, its values encoded', () => {
  const template = 'https://go.example/c/{accountId}?u={url}&s={clickId}'
  expect(trackingUrl({ template, link, url, accountId: 'a/b', clickId: '7&8' })).toBe(
    `https://go.example/c/a%2Fb?u=${encoded}&s=7%268`,
  )
})

test.each([
  ['https://go.example/?u={url}&v={url}', `https://go.example/?u=${encoded}&v=${encoded}`],
  ['https://go.example/{url}', `https://go.example/${encoded}`],
  ['http://go.example/?u={url}&s={clickId}', `http://go.example/?u=${encoded}&s=`],
])('RULINGS 26: the template %s is filled to %s', (template, filled) => {
  expect(trackingUrl({ template, url })).toBe(filled)
})

test('RULINGS 26: without a template it is the link as given, our account filled in', () => {
  expect(trackingUrl({ link, url })).toBe(link)
  expect(trackingUrl({ template: null, link, url, accountId: '42' })).toBe(link)
  const shareASale = 'https://www.shareasale.com/m-pr.cfm?merchantID=1&userID=YOURUSERID&productID=2'
  expect(trackingUrl({ link: shareASale, url, accountId: '42' })).toBe(shareASale.replace('YOURUSERID', '42'))
  expect(trackingUrl({ link: `${shareASale}&afftrack=YOURUSERID`, url, accountId: '$&' })).toBe(
    `${shareASale}&afftrack=YOURUSERID`.replaceAll('YOURUSERID', () => '%24%26'),
  )
})

test.each([
  ['neither template nor link', { url }],
  ['blank ones', { template: '', link: '', url }],
  ['a link without our account', { link: 'https://www.shareasale.com/m-pr.cfm?userID=YOURUSERID', url }],
  [
    'a template without our account',
    { template: 'https://go.example/{accountId}?u={url}', link, url, accountId: null },
  ],
  ['a placeholder that nobody knows', { template: 'https://go.example/{unknown}?u={url}', url, accountId: '1' }],
  ['a link that is none of the web', { link: 'javascript:alert(1)', url }],
  ['a link that is none at all', { link: 'shop.example', url }],
])('RULINGS 26: with %s it is null, never the bare page', (_what, parts) => {
  expect(trackingUrl(parts)).toBeNull()
})

test('what a page’s address holds is never taken for a placeholder', () => {
  const template = 'https://go.example/?u={url}&s={clickId}'
  const filled = trackingUrl({ template, url: 'https://shop.example/{clickId}$&', clickId: 'secret' })
  expect(filled).toBe('https://go.example/?u=https%3A%2F%2Fshop.example%2F%7BclickId%7D%24%26&s=secret')
})

test('the page inside is found again, whatever its address holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (url, clickId) => {
      const filled = trackingUrl({ template: 'https://go.example/?u={url}&s={clickId}', url, clickId }) ?? ''
      expect(new URL(filled).searchParams.get('u')).toBe(url.toWellFormed())
      expect(new URL(filled).searchParams.get('s')).toBe(clickId.toWellFormed())
    }),
  )
})

test.each([
  ['https://go.example/?u={url}', 0],
  ['https://go.example/c/{accountId}?u={url}&s={clickId}', 0],
  ['https://go.example/', 1],
  ['javascript:go({url})', 1],
  ['https://{url}', 1],
  ['https://go.example/?u={url}&x={unknown}', 1],
  ['', 3],
])('RULINGS 26: of the template %j %i things are wrong', (template, count) => {
  expect(checkTrackingTemplate(template)).toHaveLength(count)
})
