import { z } from 'zod'
import { text } from '../input.ts'
import { isInCalendar, outsideCalendar } from '../moment.ts'
import { kindForm, networkForm, settings } from './source-input.ts'

/** The columns of an imported list of sources. */
export const columns = {
  fields: {
    retailer: 'retailer',
    name: 'name',
    kind: 'kind',
    url: 'url',
    created_at: 'createdAt',
    expiry_hours: 'expiryHours',
    affiliate_network: 'affiliateNetwork',
    affiliate_account_id: 'affiliateAccountId',
    affiliate_account_name: 'affiliateAccountName',
    affiliate_tracking_template: 'affiliateTrackingTemplate',
  },
  required: ['name'],
}

const upperCase = z.string().trim().toUpperCase()
/** One row of it. */
export const ImportedSource = z.object({
  retailer: text(200).optional(),
  name: settings.name,
  kind: upperCase.pipe(kindForm).optional(),
  url: settings.url,
  createdAt: z
    .string()
    .trim()
    .pipe(z.union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a day or a moment, as in 2024-05-01.'))
    .transform((given) => new Date(given))
    .refine(isInCalendar, outsideCalendar)
    .optional(),
  expiryHours: z
    .string()
    .trim()
    .regex(/^\d{1,4}$/, 'must be a whole number from 1 to 168.')
    .transform(Number)
    .pipe(settings.expiryHours)
    .optional(),
  affiliateNetwork: upperCase.pipe(networkForm).optional(),
  affiliateAccountId: settings.affiliateAccountId,
  affiliateAccountName: settings.affiliateAccountName,
  affiliateTrackingTemplate: settings.affiliateTrackingTemplate,
})
export type ImportedSource = z.output<typeof ImportedSource>
