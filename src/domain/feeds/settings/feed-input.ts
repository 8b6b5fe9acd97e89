import { isIP } from 'node:net'
import { z } from 'zod'
import {
  BlockPolicy,
  FeedDecimalMark,
  FeedDelimiter,
  FeedDialect,
  FeedFormat,
  FeedQuoting,
  FeedTlsMode,
  FeedTransport,
  UnchangedPolicy,
} from '../../../db/generated/client/enums.ts'
import { must, storable, text } from '../../input.ts'
import { cronText, zoneText } from '../../schedules/times.ts'
import { columnMapInput } from './column-map-input.ts'

/** The hours that a feed may be set to run after (S2 §5.2); for anything else there are cron expressions. */
export const frequencies = [1, 2, 4, 6, 12, 24]

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}.`
  return z.number(must('a number')).int(message).min(min, message).max(max, message)
}
const oneOf = <Names extends Record<string, string>>(names: Names) =>
  z.enum(names, must(`one of ${Object.keys(names).join(', ')}`))
const flag = z.boolean(must('true or false'))

const host = text(253).refine(
  (name) => name === '' || isHost(name),
  'must be an address or a host name, without scheme, user, port and path.',
)
// oxlint-disable-next-line no-control-regex -- what ends a command of FTP must not stand in a path
const control = /[\x00-\x1f\x7f]/
const path = text(1024)
  .refine((value) => value.startsWith('/'), 'must begin with a slash, as in /feeds/catalog.csv.gz.')
  .refine((value) => !value.endsWith('/'), 'must name a file, not a folder.')
  .refine((value) => !control.test(value), 'holds a control character.')
  .refine((value) => !value.split('/').includes('..'), 'must not lead upwards with "..".')

/** A credential as it was typed: blanks around it belong to it. Blank means that the one stored stays (S2 §10.5). */
const secret = (max: number) =>
  z
    .string(must('text'))
    .max(max, `must have at most ${max} characters.`)
    .refine(storable, 'holds a NUL character or half a surrogate pair.')
    .nullish()
const privateKey = secret(20_000).refine(
  (value) =>
    !value?.trim() || /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+-----END [A-Z ]*PRIVATE KEY-----\s*$/.test(value),
  'must be a private key in OpenSSH or PEM form, from its BEGIN to its END line.',
)

/** What says where the file lies and how it is read. A test of what nobody stored yet needs no more. */
const file = {
  transport: oneOf(FeedTransport),
  tlsMode: oneOf(FeedTlsMode).nullish(),
  host: host.nullish(),
  port: whole(1, 65_535).nullish(),
  path: path.nullish(),
  username: text(200)
    .refine((value) => !control.test(value), 'holds a control character.')
    .nullish(),
  password: secret(1000),
  privateKey,
  passphrase: secret(1000),
  acknowledgeInsecure: flag.nullish(),
  format: oneOf(FeedFormat),
  dialect: oneOf(FeedDialect),
  delimiter: oneOf(FeedDelimiter).nullish(),
  quoting: oneOf(FeedQuoting).nullish(),
  columnMap: columnMapInput,
  defaultCurrency: z.string(must('text')).regex(/^[A-Z]{3}$/, 'must be three capital letters of ISO 4217, as USD.'),
  decimalMark: oneOf(FeedDecimalMark).nullish(),
  expiryHours: whole(1, 168),
  maxFileSizeBytes: whole(1, 10_737_418_240),
  maxRowCount: whole(1, 10_000_000),
  maxProductCount: whole(1, 10_000_000),
}

const rhythm = {
  scheduleFrequencyHours: z
    .number(must('a number'))
    .refine((hours) => frequencies.includes(hours), {
      error: `must be one of ${frequencies.join(', ')}.`,
      params: { hint: 'For any other rhythm give scheduleCron, as 30 4 * * *.' },
    })
    .nullish(),
  scheduleCron: cronText.nullish(),
  timeZone: zoneText,
}

/** When a run is stopped before consumers see it, within the bounds of S2 §8.8 and §3.3.2. */
const breaker = {
  expirePercent: whole(1, 100),
  expireMinCount: whole(1, 10_000),
  expireMaxCount: whole(1, 1_000_000),
  urlHashPercent: whole(1, 100),
  urlHashMaxCount: whole(1, 10_000_000),
  rejectedPercent: whole(1, 100),
  priceMovePercent: whole(1, 100),
  unchangedPolicy: oneOf(UnchangedPolicy),
  blockPolicy: oneOf(BlockPolicy),
  holdHours: whole(1, 720),
  priceHeartbeatHours: whole(1, 720),
}

export const FeedChanges = z.object({ ...file, ...rhythm, ...breaker }).partial()
export type FeedChangesInput = z.input<typeof FeedChanges>
export type FeedSettings = z.output<typeof FeedChanges>

/** What is not given has the default of its column. */
export const NewFeed = FeedChanges

export const FeedTestSettings = z
  .object(file)
  .partial()
  .required({ transport: true, host: true, path: true, username: true })
export type FeedTestInput = z.input<typeof FeedTestSettings>

function isHost(name: string): boolean {
  return isIP(name) > 0 || /^[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$/i.test(name)
}
