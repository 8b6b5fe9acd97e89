import { z } from 'zod'
import { AffiliateNetwork, SourceKind } from '../../db/generated/client/enums.ts'
import { must, text, webAddress } from '../input.ts'
import { ScrapeConfig } from './scrape-config.ts'
import { trackingTemplate } from './tracking-template.ts'

const oneOf = (names: object) => must(`one of ${Object.keys(names).join(', ')}`)

export const kindForm = z.enum(SourceKind, oneOf(SourceKind))
export const networkForm = z.enum(AffiliateNetwork, oneOf(AffiliateNetwork))
const hours = 'must be a whole number from 1 to 168.'

/** What can be set of a source, whoever sets it: the API or a list. */
export const settings = {
  name: text(200),
  url: webAddress.nullish(),
  expiryHours: z.number(must('a number')).int(hours).min(1, hours).max(168, hours),
  upcTrusted: z.boolean(must('true or false')),
  affiliateNetwork: networkForm.nullish(),
  affiliateAccountId: text(200).nullish(),
  affiliateAccountName: text(200).nullish(),
  affiliateTrackingTemplate: trackingTemplate.nullish(),
  adapterId: text(100).nullish(),
  scrapeConfig: ScrapeConfig,
}

/** Said of a network where none belongs. */
export const networkNotAllowed = 'is only for sources of kind AFFILIATE_FEED.'

/** What a new source starts with: scraped facts stay hidden and their product codes unbelieved until an operator says otherwise (S3 §12.3). */
export const startingRights = (kind: SourceKind) => ({
  visibilityStatus: kind === 'SCRAPE' ? ('INELIGIBLE' as const) : ('ELIGIBLE' as const),
  upcTrusted: kind !== 'SCRAPE' && kind !== 'MARKET',
})

export const NewSource = z
  .object({ kind: kindForm.default('DIRECT') })
  .extend(settings)
  .partial({ expiryHours: true, upcTrusted: true, scrapeConfig: true })
  .refine((given) => !given.affiliateNetwork || given.kind === 'AFFILIATE_FEED', {
    path: ['affiliateNetwork'],
    message: networkNotAllowed,
  })
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
