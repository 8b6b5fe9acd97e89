import { z } from 'zod'
import { text, webAddress } from '../input.ts'

export const sourceKinds = ['DIRECT', 'AFFILIATE_FEED', 'SCRAPE', 'MARKET', 'OTHER'] as const
export const affiliateNetworks = ['IMPACT', 'AWIN', 'CJ', 'AVANTLINK', 'SHAREASALE', 'RAKUTEN'] as const

const placeholders = ['url', 'clickId', 'accountId']

/** A link that leads a click through the network. `{url}` stands for the offer's page, encoded. */
const trackingTemplate = text(2000)
  .refine(
    (template) => /^https?:\/\//.test(template) && URL.canParse(template.replaceAll(/[{}]/g, '')),
    'must be an http or https URL.',
  )
  .refine((template) => template.includes('{url}'), 'must hold {url}, which stands for the page of the offer.')
  .refine((template) => [...template.matchAll(/\{(\w*)\}/g)].every(([, name]) => placeholders.includes(name ?? '')), {
    message: `may hold only ${placeholders.map((name) => `{${name}}`).join(', ')}.`,
  })

/** Hop-by-hop headers and those that carry a secret or belong to the fetcher have no place in a stored configuration. */
const forbiddenHeaders =
  /^(authorization|cookie|proxy-.*|host|connection|content-length|transfer-encoding|user-agent)$/i

export const ScrapeConfig = z
  .strictObject({
    requestsPerSecond: z.number().positive('must be more than 0.').max(10, 'must be at most 10.').nullish(),
    fetcherType: z.enum(['http', 'browser']).nullish(),
    customHeaders: z
      .array(
        z.strictObject({
          name: text(100)
            .regex(/^[A-Za-z0-9-]+$/, 'may hold only letters, digits and hyphens.')
            .refine((name) => !forbiddenHeaders.test(name), 'may not be set here.'),
          value: text(500).regex(/^[\x20-\x7e]*$/, 'may hold only printable ASCII.'),
        }),
      )
      .max(20, 'may have at most 20 headers.')
      .nullish(),
  })
  // Stored without what was left out: a configuration says only what differs from the defaults.
  .transform(
    (given) => JSON.parse(JSON.stringify(given, (_key, value: unknown) => value ?? undefined)) as Record<string, never>,
  )

const settings = {
  name: text(200),
  url: webAddress.nullish(),
  expiryHours: z.number().int().min(1, 'must be from 1 to 168.').max(168, 'must be from 1 to 168.'),
  upcTrusted: z.boolean(),
  affiliateNetwork: z.enum(affiliateNetworks).nullish(),
  affiliateAccountId: text(200).nullish(),
  affiliateAccountName: text(200).nullish(),
  affiliateTrackingTemplate: trackingTemplate.nullish(),
  adapterId: text(100).nullish(),
  scrapeConfig: ScrapeConfig,
}

const onlyAffiliates = {
  path: ['affiliateNetwork'],
  message: 'is only for sources of kind AFFILIATE_FEED.',
}

/** What a new source starts with: scraped facts stay hidden and their product codes unbelieved until an operator says otherwise (S3 §12.3). */
export const startingRights = (kind: (typeof sourceKinds)[number]) => ({
  visibilityStatus: kind === 'SCRAPE' ? ('INELIGIBLE' as const) : ('ELIGIBLE' as const),
  upcTrusted: kind !== 'SCRAPE' && kind !== 'MARKET',
})

export const NewSource = z
  .object({ kind: z.enum(sourceKinds).default('DIRECT') })
  .extend(settings)
  .partial({ expiryHours: true, upcTrusted: true, scrapeConfig: true })
  .refine((given) => !given.affiliateNetwork || given.kind === 'AFFILIATE_FEED', onlyAffiliates)
  .transform((given) => ({ ...startingRights(given.kind), ...present(given) }))
export type NewSourceInput = z.input<typeof NewSource>

export const SourceChanges = z.object(settings).partial()
export type SourceChangesInput = z.input<typeof SourceChanges>

export const Review = z.object({
  tosApprovedBy: text(200),
  notes: text(5000).nullish(),
  robotsCompliant: z.boolean().default(true),
})
export type ReviewInput = z.input<typeof Review>

/** Leaves out what was not given, so that it does not cover a default. */
function present<Given extends object>(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given
}
