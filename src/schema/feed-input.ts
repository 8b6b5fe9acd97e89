import type { InputFieldBuilder } from '@pothos/core'
import { builder } from './builder.ts'
import {
  BlockPolicy,
  FeedDecimalMark,
  FeedDelimiter,
  FeedDialect,
  FeedField,
  FeedFormat,
  FeedQuoting,
  FeedTlsMode,
  FeedTransport,
  UnchangedPolicy,
} from './feed-enum.ts'
import { Feed } from './feed-type.ts'
import { Source } from './source-type.ts'

type Fields = InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>

const ColumnMappingInput = builder.inputType('ColumnMappingInput', {
  description: 'From which columns a field is read.',
  fields: (t) => ({
    field: t.field({ type: FeedField, required: true, description: 'The field.' }),
    columns: t.stringList({
      required: true,
      description:
        'The columns by their names in the header; the first that has a value counts. None: it is not read. At most 20, of at most 200 characters each.',
    }),
  }),
})

/** Where the file lies and how it is read, in the same words wherever it is said. */
const file = (t: Fields) => ({
  tlsMode: t.field({ type: FeedTlsMode, description: 'How FTPS begins; EXPLICIT if not given.' }),
  port: t.int({ description: 'Its port, 1 to 65535; null: the usual one of the transport.' }),
  password: t.string({
    description:
      'The password, at most 1000 characters. Blank: the one stored stays. It cannot be read again. Needs the scope ADMIN.',
  }),
  privateKey: t.string({
    description:
      'A private key for SFTP in OpenSSH or PEM form, at most 20000 characters. Blank: the one stored stays. Needs the scope ADMIN.',
  }),
  passphrase: t.string({ description: 'What opens the private key beside it; at most 1000 characters.' }),
  acknowledgeInsecure: t.boolean({ description: 'Must be true where FTP is chosen: it sends the password in clear.' }),
  format: t.field({ type: FeedFormat, description: 'What the file is.' }),
  dialect: t.field({
    type: FeedDialect,
    description: 'Whose names the columns have; for a new feed that of the source’s network if it is known.',
  }),
  delimiter: t.field({ type: FeedDelimiter, description: 'What stands between two fields; null: it is found out.' }),
  quoting: t.field({ type: FeedQuoting, description: 'Whether quotes have a meaning; null: it is found out.' }),
  columnMap: t.field({
    type: [ColumnMappingInput],
    description:
      'Fields that are read from other columns than the dialect says. It replaces the former map as a whole.',
  }),
  defaultCurrency: t.string({
    description: 'The currency of prices without one, ISO 4217, as USD; at most 3 characters.',
  }),
  decimalMark: t.field({
    type: FeedDecimalMark,
    description: 'What stands before the cents of its prices; null: it is found out from each file.',
  }),
  expiryHours: t.int({
    description: 'How long an offer stays visible after it was last seen: 1 to 168 hours. It is kept at the source.',
  }),
  maxFileSizeBytes: t.float({ description: 'How large the file may be: 1 to 10737418240 bytes; 524288000 at first.' }),
  maxRowCount: t.int({ description: 'How many rows it may have: 1 to 10000000; 500000 at first.' }),
  maxProductCount: t.int({ description: 'How many different products it may have: 1 to 10000000; 500000 at first.' }),
})

const place = <Required extends boolean>(t: Fields, required: Required) => ({
  transport: t.field({ type: FeedTransport, required, description: 'How the file is fetched.' }),
  host: t.string({ required, description: 'The server, without scheme and port; at most 253 characters.' }),
  path: t.string({ required, description: 'The file, beginning with a slash; at most 1024 characters.' }),
  username: t.string({ required, description: 'Who logs in; at most 200 characters.' }),
})

const rules = (t: Fields) => ({
  scheduleFrequencyHours: t.int({
    description:
      'Run every 1, 2, 4, 6, 12 or 24 hours. Without it and without `scheduleCron` it runs only when asked to.',
  }),
  scheduleCron: t.string({
    description: 'Or by a cron expression of five fields, as 30 4 * * *; at most 200 characters.',
  }),
  timeZone: t.string({
    description: 'The IANA time zone of the expression, as Europe/Vienna; UTC if not given; at most 100 characters.',
  }),
  expirePercent: t.int({
    description: 'Block a run in which more than this share would expire: 1 to 100; 30 at first.',
  }),
  expireMinCount: t.int({ description: 'But not for fewer than this: 1 to 10000; 10 at first.' }),
  expireMaxCount: t.int({ description: 'Block it in any case from this number on: 1 to 1000000; 500 at first.' }),
  urlHashPercent: t.int({
    description: 'Block a run with more than this share known by the hash of its address alone: 1 to 100; 50 at first.',
  }),
  urlHashMaxCount: t.int({ description: 'Or with more than this number of them: 1 to 10000000; 1000 at first.' }),
  rejectedPercent: t.int({
    description: 'Block a run of which more than this share was rejected: 1 to 100; 50 at first.',
  }),
  priceMovePercent: t.int({
    description:
      'Block a run in which more than this share of the prices moved by a factor of two: 1 to 100; 30 at first.',
  }),
  unchangedPolicy: t.field({ type: UnchangedPolicy, description: 'What a run does whose file did not change.' }),
  blockPolicy: t.field({ type: BlockPolicy, description: 'What a blocked run holds back.' }),
  holdHours: t.int({ description: 'How long a block may stop the expiry of offers: 1 to 720 hours; 168 at first.' }),
  priceHeartbeatHours: t.int({
    description: 'After how long an unchanged price is written down once more: 1 to 720 hours; 24 at first.',
  }),
})

export const CreateFeedInput = builder.inputType('CreateFeedInput', {
  description: 'A new feed. It begins as a draft, may be stored piece by piece, and runs once it was enabled.',
  fields: (t) => ({
    sourceId: t.globalID({
      required: true,
      for: Source,
      description: 'The source that it fills; one of kind AFFILIATE_FEED that has no feed yet.',
    }),
    ...place(t, false),
    ...file(t),
    ...rules(t),
  }),
})

export const UpdateFeedInput = builder.inputType('UpdateFeedInput', {
  description:
    'Changes to a feed. What is left out stays as it is, a blank credential too; null clears a field that may be empty.',
  fields: (t) => ({
    id: t.globalID({ required: true, for: Feed, description: 'Which feed.' }),
    ...place(t, false),
    ...file(t),
    ...rules(t),
  }),
})

export const TestFeedInput = builder.inputType('TestFeedInput', {
  description: 'Settings to try that are not stored.',
  fields: (t) => ({ ...place(t, true), ...file(t) }),
})
