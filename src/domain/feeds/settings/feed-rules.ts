import type { FeedStatus, FeedTransport } from '../../../db/generated/client/enums.ts'
import type { Problem } from '../../errors.ts'
import type { FeedSecret } from '../credentials/secret.ts'
import { FeedChanges, type FeedChangesInput } from './feed-input.ts'

/** A feed as it is, or, before it is stored, as the table makes it: what its rules look at. */
export type FeedState = {
  status: FeedStatus
  transport: FeedTransport
  host: string | null
  path: string | null
  username: string | null
  cron: string | null
}

export const newFeedState: FeedState = {
  status: 'DRAFT',
  transport: 'SFTP',
  host: null,
  path: null,
  username: null,
  cron: null,
}

type Given = Partial<Record<keyof FeedChangesInput, unknown>>

type TypedSecret = Pick<FeedChangesInput, 'password' | 'privateKey' | 'passphrase'>

const isGiven = (value: unknown) => value !== undefined && value !== null
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** The credential that was typed, if one was: it replaces the one stored as a whole, for that cannot be read here. */
export function typedSecret({ password, privateKey, passphrase }: TypedSecret): FeedSecret | undefined {
  const typed = { password, privateKey, passphrase }
  const filled = Object.entries(typed).filter(([, value]) => (value ?? '') !== '' && (value ?? '').trim() !== '')
  return filled.length > 0 ? (Object.fromEntries(filled) as FeedSecret) : undefined
}

/** What is wrong between the fields of an input; told together with what is wrong with each of them. */
export function ruleProblems(input: object, before: FeedState, allowPlainFtp: boolean): Problem[] {
  const given = input as Given
  const transport = isGiven(given.transport) ? given.transport : before.transport
  return [
    ...transportProblems(given, before, allowPlainFtp),
    ...(isGiven(given.tlsMode) && transport !== 'FTPS' ? [problem('tlsMode', 'is only for FTPS.')] : []),
    ...secretProblems(given, transport),
    ...scheduleProblems(given, before),
    ...emptied(given, before),
  ]
}

/** What an enabled feed cannot do without (S2 §2.8.1: the state is checked at this boundary, too). */
export function enableProblems(
  feed: FeedState & { secretKeyId: string | null; expiryHours: number },
  allowPlainFtp: boolean,
): Problem[] {
  const missing = (['host', 'path', 'username'] as const).filter((field) => feed[field] === null)
  return [
    ...missing.map((field) => ({ field: 'id', message: `the feed has no ${field}.`, hint: setIt })),
    ...(feed.secretKeyId === null ? [{ field: 'id', message: 'the feed has no credential.', hint: setIt }] : []),
    ...(feed.transport === 'FTP' && !allowPlainFtp ? [{ ...notAllowed, field: 'id' }] : []),
    ...expiryProblems(feed),
  ]
}

/** Everything rests on them: 0 would expire every offer at once, and without a bound none ever would. */
const expiryProblems = ({ expiryHours }: { expiryHours: number }): Problem[] =>
  (FeedChanges.shape.expiryHours.safeParse(expiryHours).error?.issues ?? []).map(({ message }) => ({
    field: 'id',
    message: `the feed has ${expiryHours} expiryHours: it ${message}`,
    hint: setIt,
  }))

const setIt = 'Set it with updateFeed, try it with testFeed, then enable the feed.'

const notAllowed = {
  message: 'FTP sends user name and password in clear, and this installation does not allow it.',
  hint: 'Use SFTP or FTPS. If there is no other way, set AFFILIATE_FEED_ALLOW_PLAIN_FTP=true and restart all processes.',
}

function transportProblems(given: Given, before: FeedState, allowPlainFtp: boolean): Problem[] {
  if (given.transport !== 'FTP' || before.transport === 'FTP') return []
  if (!allowPlainFtp) return [{ ...notAllowed, field: 'input.transport' }]
  return given.acknowledgeInsecure === true
    ? []
    : [
        {
          field: 'input.acknowledgeInsecure',
          message: 'must be true where FTP is chosen: user name and password are sent in clear.',
          hint: 'Use SFTP or FTPS if the network offers it; else acknowledge that FTP is insecure.',
        },
      ]
}

const secretProblems = (given: Given, transport: unknown): Problem[] => [
  ...(isFilled(given.privateKey) && transport !== 'SFTP' ? [problem('privateKey', 'is only for SFTP.')] : []),
  ...(isFilled(given.passphrase) && !isFilled(given.privateKey)
    ? [problem('passphrase', 'needs the private key beside it: the one stored cannot be read here.')]
    : []),
]

function scheduleProblems(given: Given, before: FeedState): Problem[] {
  const goesByPeriod = isGiven(given.scheduleFrequencyHours)
  const hasCron =
    isGiven(given.scheduleCron) || (given.scheduleCron === undefined && before.cron !== null && !goesByPeriod)
  return [
    ...(goesByPeriod && isGiven(given.scheduleCron)
      ? [problem('scheduleCron', 'cannot be given together with scheduleFrequencyHours.')]
      : []),
    ...(isGiven(given.timeZone) && !hasCron ? [problem('timeZone', 'is only for scheduleCron.')] : []),
  ]
}

function emptied(given: Given, before: FeedState): Problem[] {
  if (before.status === 'DRAFT') return []
  return (['host', 'path', 'username'] as const)
    .filter((field) => given[field] === null)
    .map((field) => problem(field, 'cannot be empty: the feed is no draft.'))
}

const problem = (field: keyof FeedChangesInput, message: string): Problem => ({ field: `input.${field}`, message })
