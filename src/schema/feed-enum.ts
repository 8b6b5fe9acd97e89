import type {
  BlockPolicy as Block,
  BlockReason as Reason,
  FeedDecimalMark as DecimalMark,
  FeedDelimiter as Delimiter,
  FeedDialect as Dialect,
  FeedFormat as Format,
  FeedQuoting as Quoting,
  FeedStatus as Status,
  FeedTlsMode as TlsMode,
  FeedTransport as Transport,
  SkipReason as Skip,
  UnchangedPolicy as Unchanged,
} from '../db/generated/client/client.ts'
import { feedFields, type FeedField as FieldName } from '../domain/feeds/dialects/field.ts'
import { builder } from './builder.ts'

type Values<Name extends string> = Record<Name, { description: string }>

export const FeedStatus = builder.enumType('FeedStatus', {
  description: 'Whether a feed runs.',
  values: {
    DRAFT: { description: 'It was never enabled, and never runs.' },
    ENABLED: { description: 'It runs by the clock, if it has a schedule, and when it is asked to.' },
    PAUSED: { description: 'An operator stopped it. `enableFeed` lets it run again.' },
    DISABLED: { description: 'Failures in a row stopped it. `reenableFeed` lets it run again.' },
  } satisfies Values<Status>,
})
export const FeedTransport = builder.enumType('FeedTransport', {
  description: 'How the file of a feed is fetched.',
  values: {
    SFTP: { description: 'Over SSH: encrypted, the server known by its host key.' },
    FTPS: { description: 'FTP inside TLS: encrypted, the certificate is checked.' },
    FTP: {
      description: 'Insecure: user name and password are sent in clear. It must be allowed for the installation.',
    },
  } satisfies Values<Transport>,
})
export const FeedTlsMode = builder.enumType('FeedTlsMode', {
  description: 'How FTPS begins.',
  values: {
    EXPLICIT: { description: 'TLS is asked for on the usual port of FTP.' },
    IMPLICIT: { description: 'TLS from the first byte, usually on port 990.' },
  } satisfies Values<TlsMode>,
})
export const FeedFormat = builder.enumType('FeedFormat', {
  description: 'What a file is.',
  values: { CSV: { description: 'Rows of fields under a header, plain, gzipped or zipped.' } } satisfies Values<Format>,
})
export const FeedDialect = builder.enumType('FeedDialect', {
  description: 'Whose names the columns of a file have.',
  values: {
    IMPACT: { description: 'Those of impact.com.' },
    GENERIC: { description: 'Those that most shops use.' },
  } satisfies Values<Dialect>,
})
export const FeedDelimiter = builder.enumType('FeedDelimiter', {
  description: 'What stands between two fields.',
  values: {
    COMMA: { description: 'A comma.' },
    TAB: { description: 'A tab.' },
    PIPE: { description: 'A vertical bar.' },
    SEMICOLON: { description: 'A semicolon.' },
  } satisfies Values<Delimiter>,
})
export const FeedQuoting = builder.enumType('FeedQuoting', {
  description: 'Whether quotes have a meaning.',
  values: {
    QUOTED: { description: 'A field in double quotes may hold delimiters and line breaks.' },
    NONE: { description: 'A quote is a letter like any other.' },
  } satisfies Values<Quoting>,
})
export const FeedDecimalMark = builder.enumType('FeedDecimalMark', {
  description: 'What stands before the cents of a price.',
  values: {
    POINT: { description: 'A point: 1.299 is a little more than one.' },
    COMMA: { description: 'A comma: 1.299 is a thousand and more.' },
  } satisfies Values<DecimalMark>,
})
export const UnchangedPolicy = builder.enumType('UnchangedPolicy', {
  description: 'What a run does whose file did not change.',
  values: {
    KEEP: { description: 'Nothing: offers expire as if there had been no run.' },
    REFRESH: { description: 'It shows the same offers once more, if the file is the very one that is shown.' },
  } satisfies Values<Unchanged>,
})
export const BlockPolicy = builder.enumType('BlockPolicy', {
  description: 'What a run holds back in which too much would disappear.',
  values: {
    HOLD_ALL: { description: 'Everything that it saw.' },
    HOLD_REMOVALS: { description: 'Only the disappearance; what arrived is shown.' },
  } satisfies Values<Block>,
})
export const BlockReason = builder.enumType('BlockReason', {
  description: 'Why a run was blocked. In the order in which they are judged: the first that holds is the reason.',
  values: {
    DATA_QUALITY_NO_USABLE_ROWS: { description: 'No row could be used, while offers are shown.' },
    DATA_QUALITY_REJECTED_ROWS: { description: 'Too many rows were rejected.' },
    DATA_QUALITY_URL_HASH_SPIKE: { description: 'Too many offers are known by nothing but the hash of their address.' },
    PRICE_SPIKE_THRESHOLD_EXCEEDED: { description: 'Too many prices moved by more than a factor of two.' },
    SPIKE_THRESHOLD_EXCEEDED: { description: 'Too many offers would expire.' },
  } satisfies Values<Reason>,
})
export const SkippedReason = builder.enumType('SkippedReason', {
  description: 'Why a run did not process its file.',
  values: {
    UNCHANGED_MTIME: { description: 'The server says that the file did not change.' },
    UNCHANGED_HASH: { description: 'What was downloaded is what the last run processed.' },
  } satisfies Values<Skip>,
})

const meanings: Record<FieldName, string> = {
  title: 'The name of the product.',
  link: 'The link to the offer, usually through the network.',
  landingLink: 'The page of the shop that the link leads to.',
  price: 'The list price.',
  salePrice: 'The price that is paid, where it is lower.',
  originalPrice: 'The price before a reduction.',
  saleStart: 'When the sale price begins.',
  saleEnd: 'When the sale price ends.',
  saleWindow: 'Both in one field, with a slash between.',
  currency: 'The currency of the prices.',
  promotion: 'The name or id of a promotion under which the price holds.',
  couponCode: 'The code that a buyer gives for the price.',
  couponText: 'What the coupon is about.',
  itemId: 'The id that the network gave.',
  sku: 'The id that the shop gave.',
  upc: 'The GTIN, UPC, EAN or ISBN.',
  mpn: 'The id that the maker gave.',
  brand: 'The brand or maker.',
  category: 'The category, as the shop has it.',
  image: 'A picture.',
  stock: 'Whether it is to be had.',
  description: 'A longer text.',
  parentSku: 'The id of the product that it is a variant of.',
  parentName: 'The name of the product that it is a variant of.',
  isParent: 'Whether the row stands for its variants.',
  groupId: 'What variants have in common.',
}
export const FeedField = builder.enumType('FeedField', {
  description: 'What is read from a row.',
  values: Object.fromEntries(feedFields.map((name) => [name, { description: meanings[name] }])) as Record<
    FieldName,
    { description: string }
  >,
})
