import type { Schedule } from '../../../db/generated/client/client.ts'
import type { Db, Tx } from '../../../db/prisma.ts'
import type { Problem } from '../../errors.ts'
import { findBadTimes } from '../../schedules/times.ts'
import type { FeedSettings } from './feed-input.ts'
import { ingestJob } from '../feed-jobs.ts'

const hourSeconds = 3600

/** When a feed runs, as clients say it. All null: only when it is asked to. */
export type Rhythm = { scheduleFrequencyHours: number | null; scheduleCron: string | null; timeZone: string | null }

/** A feed's row in `schedules`, as a rhythm. */
export function rhythmOf(schedule: Pick<Schedule, 'cron' | 'timeZone' | 'periodSeconds'> | null | undefined): Rhythm {
  const { cron = null, timeZone = null, periodSeconds = null } = schedule ?? {}
  return {
    scheduleFrequencyHours: periodSeconds === null ? null : periodSeconds / hourSeconds,
    scheduleCron: cron,
    timeZone: cron === null ? null : timeZone,
  }
}

/** The rhythm that changes leave: what the one sort of times is set to takes the place of the other. */
export function rhythmAfter(before: Rhythm, { scheduleFrequencyHours, scheduleCron, timeZone }: FeedSettings): Rhythm {
  const hours = scheduleFrequencyHours === undefined ? before.scheduleFrequencyHours : scheduleFrequencyHours
  const cron = scheduleCron === undefined ? before.scheduleCron : scheduleCron
  if (scheduleCron)
    return { scheduleFrequencyHours: null, scheduleCron, timeZone: timeZone ?? before.timeZone ?? 'UTC' }
  if (scheduleFrequencyHours || cron === null)
    return { scheduleFrequencyHours: hours, scheduleCron: null, timeZone: null }
  return { scheduleFrequencyHours: null, scheduleCron: cron, timeZone: timeZone ?? before.timeZone }
}

const fields = { cron: 'input.scheduleCron', timeZone: 'input.timeZone' }

/** What is wrong with the times of an input, which Postgres alone can read. */
export const badTimes = (
  db: Db,
  { scheduleCron, timeZone }: { scheduleCron?: unknown; timeZone?: unknown },
): Promise<Problem[]> => findBadTimes(db, { cron: scheduleCron, timeZone }, fields)

/** Writes when a feed runs by itself; a feed that never does has no row. Only an enabled one has a next time (RULINGS 11). */
export async function writeRhythm(tx: Tx, feedId: bigint, rhythm: Rhythm, isEnabled: boolean): Promise<void> {
  const { scheduleFrequencyHours, scheduleCron, timeZone } = rhythm
  const where = { kind_subjectId: { kind: 'feed', subjectId: feedId } }
  if (scheduleFrequencyHours === null && scheduleCron === null) {
    await tx.schedule.deleteMany({ where: { kind: 'feed', subjectId: feedId } })
    return
  }
  const times = {
    periodSeconds: scheduleFrequencyHours === null ? null : scheduleFrequencyHours * hourSeconds,
    cron: scheduleCron,
    timeZone: timeZone ?? 'UTC',
  }
  const payload = { feedId: String(feedId), trigger: 'SCHEDULED' }
  const created = {
    kind: 'feed',
    subjectId: feedId,
    name: `feed-${feedId}`,
    queue: ingestJob.name,
    payload,
    isEnabled,
    ...times,
  }
  await tx.schedule.upsert({ where, create: created, update: { ...times, isEnabled, disabledReason: null } })
}
