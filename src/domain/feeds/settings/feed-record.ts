import type { Feed, Schedule } from '../../../db/generated/client/client.ts'
import type { Tx } from '../../../db/prisma.ts'
import { notFound } from '../../errors.ts'
import type { FeedSettings } from './feed-input.ts'
import { rhythmOf, type Rhythm } from './feed-schedule.ts'

/** A feed with what belongs to it and lies elsewhere (RULINGS 11): when it runs, and how long its offers last. */
export type FeedRecord = { feed: Feed; rhythm: Rhythm; schedule: Schedule | null; expiryHours: number }

/** Reads a feed under its lock, or says that there is none. */
export async function lockFeed(tx: Tx, id: bigint, field: string): Promise<FeedRecord> {
  await tx.$executeRaw`select from freshet.feeds where id = ${id} for no key update`
  const found = await tx.feed.findUnique({ where: { id }, include: { source: { select: { expiryHours: true } } } })
  if (!found) throw notFound('feed', field)
  const { source, ...feed } = found
  const schedule = await tx.schedule.findUnique({ where: { kind_subjectId: { kind: 'feed', subjectId: id } } })
  return { feed, schedule, rhythm: rhythmOf(schedule), expiryHours: source.expiryHours }
}

/** The columns of `feeds` among the settings of an input. */
export function columnsOf(settings: FeedSettings) {
  const {
    password: _password,
    privateKey: _privateKey,
    passphrase: _passphrase,
    acknowledgeInsecure: _acknowledged,
    expiryHours: _expiry,
    scheduleFrequencyHours: _hours,
    scheduleCron: _cron,
    timeZone: _zone,
    maxFileSizeBytes,
    ...columns
  } = settings
  return { ...columns, ...(maxFileSizeBytes === undefined ? {} : { maxFileSizeBytes: BigInt(maxFileSizeBytes) }) }
}
