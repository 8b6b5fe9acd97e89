import type { InputFieldBuilder } from '@pothos/core'
import { builder } from './builder.ts'
import { Retailer } from './retailer.ts'
import { AffiliateNetwork, Source, SourceKind } from './source-type.ts'

const FetcherType = builder.enumType('FetcherType', {
  description: 'What loads a page.',
  values: {
    HTTP: { value: 'http', description: 'A plain request.' },
    BROWSER: { value: 'browser', description: 'A browser, for pages made by scripts.' },
  } as const,
})
const HeaderInput = builder.inputType('HeaderInput', {
  description: 'A request header.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'As in Accept-Language; at most 100 characters. Headers with secrets cannot be set.',
    }),
    value: t.string({ required: true, description: 'As in en-US; at most 500 characters.' }),
  }),
})
const ScrapeConfigInput = builder.inputType('ScrapeConfigInput', {
  description: 'How pages of a source are fetched. It replaces the former configuration as a whole.',
  fields: (t) => ({
    requestsPerSecond: t.float({ description: 'At most this many requests a second, up to 10.' }),
    fetcherType: t.field({ type: FetcherType, description: 'What loads the pages.' }),
    customHeaders: t.field({ type: [HeaderInput], description: 'Headers to send along, at most 20.' }),
  }),
})

/** What may be set of a source at any time, in the same words. */
const settings = (t: InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>) => ({
  affiliateNetwork: t.field({ type: AffiliateNetwork, description: 'Its network, for an affiliate feed.' }),
  affiliateAccountId: t.string({
    description: 'Our account or the advertiser at the network; at most 200 characters.',
  }),
  affiliateAccountName: t.string({ description: 'The name of that account, for people; at most 200 characters.' }),
  affiliateTrackingTemplate: t.string({
    description:
      'The link that leads clicks through the network, at most 2000 characters; must hold `{url}`, may hold `{accountId}` and `{clickId}`.',
  }),
  adapterId: t.string({ description: 'Which adapter reads its pages; at most 100 characters.' }),
  scrapeConfig: t.field({ type: ScrapeConfigInput, description: 'How its pages are fetched.' }),
})

export const CreateSourceInput = builder.inputType('CreateSourceInput', {
  description: 'A new source. A SCRAPE source starts INELIGIBLE and without trust in its product codes.',
  fields: (t) => ({
    retailerId: t.globalID({ required: true, for: Retailer, description: 'Whom the facts are about.' }),
    name: t.string({
      required: true,
      description: 'Unique among the sources of its retailer; at most 200 characters.',
    }),
    kind: t.field({
      type: SourceKind,
      defaultValue: 'DIRECT',
      description: 'How facts reach us. It cannot be changed later.',
    }),
    url: t.string({ description: 'Where it is found, http or https; at most 2000 characters.' }),
    expiryHours: t.int({ description: 'How long what was last seen stays visible: 1 to 168 hours, 48 if not given.' }),
    upcTrusted: t.boolean({
      description:
        'Whether its product codes may decide what an offer is; if not given, no for SCRAPE and MARKET, yes for others.',
    }),
    ...settings(t),
  }),
})

export const UpdateSourceInput = builder.inputType('UpdateSourceInput', {
  description: 'Changes to a source. What is left out stays as it is; null clears a field that may be empty.',
  fields: (t) => ({
    id: t.globalID({ required: true, for: Source, description: 'Which source.' }),
    name: t.string({ description: 'Unique among the sources of its retailer; at most 200 characters.' }),
    url: t.string({
      description:
        'Where it is found, http or https; at most 2000 characters. A move to another domain ends the review of the terms.',
    }),
    expiryHours: t.int({ description: 'How long what was last seen stays visible: 1 to 168 hours.' }),
    upcTrusted: t.boolean({ description: 'Whether its product codes may decide what an offer is.' }),
    ...settings(t),
  }),
})

export const ReviewSourceInput = builder.inputType('ReviewSourceInput', {
  description: 'The record that a person read the terms and the robots.txt of a site.',
  fields: (t) => ({
    id: t.globalID({ required: true, for: Source, description: 'Which source.' }),
    tosApprovedBy: t.string({
      required: true,
      description: 'Who read and approved the terms; at most 200 characters.',
    }),
    notes: t.string({ description: 'What was found, or where the permission is kept; at most 5000 characters.' }),
    robotsCompliant: t.boolean({
      defaultValue: true,
      description: 'Whether robots.txt allows what we do. False forbids every fetch.',
    }),
  }),
})
