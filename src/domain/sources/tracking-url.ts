import { trackingTemplate } from './tracking-template.ts'

/** What a click's link is made of: the source's template, the link as the feed gave it, the page, and who asks. */
export type TrackingParts = {
  template?: string | null | undefined
  link?: string | null | undefined
  url: string
  accountId?: string | null | undefined
  clickId?: string | null | undefined
}

/** What ShareASale writes into its links in place of our account. */
const accountMark = 'YOURUSERID'

/**
 * The link that leads a click through the network (RULINGS 26): the template filled, else the link as given. Null where neither
 * is there or our account is missing in it: the bare page in its place would look right and pay nobody.
 */
export function trackingUrl({ template, link, url, accountId, clickId }: TrackingParts): string | null {
  if (template) return fill(template, { url, accountId: accountId || null, clickId: clickId ?? '' })
  if (!link || !isWebLink(link)) return null
  if (!link.includes(accountMark)) return link
  return accountId ? link.replaceAll(accountMark, () => encode(accountId)) : null
}

/** What is wrong with a template, a sentence each; none: it may be stored. */
export function checkTrackingTemplate(template: string): string[] {
  return trackingTemplate.safeParse(template).error?.issues.map(({ message }) => message) ?? []
}

/** All placeholders in one pass, so that braces in a page's address are not taken for more of them. */
function fill(template: string, values: Record<string, string | null>): string | null {
  let isWhole = true
  const filled = template.replaceAll(/\{([a-zA-Z]{1,20})\}/g, (_all, name: string) => {
    const value = values[name] ?? null
    isWhole &&= value !== null
    return encode(value ?? '')
  })
  return isWhole && isWebLink(filled) ? filled : null
}

const encode = (value: string) => encodeURIComponent(value.toWellFormed())

const isWebLink = (link: string) => /^https?:\/\//i.test(link) && URL.canParse(link)
