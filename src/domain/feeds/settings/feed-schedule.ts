import type { Schedule } from '../../../db/generated/client/client.ts'
import type { Db, Tx } from '../../../db/prisma.ts'
import { queryRows, type Sql } from '../../../db/sql.ts'
import type { Problem } from '../../errors.ts'
import { storable } from '../../input.ts'
import { sqlRefusal } from '../../sql-codes.ts'
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

/** What Postgres, which reads the expression, has against it: the message names the character that is wrong. */
export async function readTimes(db: Db, input: { scheduleCron?: unknown; timeZone?: unknown }): Promise<Problem[]> {
  const tried = [
    await refusalOf(db, 'input.scheduleCron', 'select 1 from freshet.parse_cron($1)', input.scheduleCron),
    await refusalOf(db, 'input.timeZone', 'select 1 from freshet.check_time_zone($1)', input.timeZone),
  ]
  return tried.flat()
}

async function refusalOf(sql: Sql, field: string, text: string, value: unknown): Promise<Problem[]> {
  // A form that is wrong already is told by the schema.
  if (typeof value !== 'string' || !value.trim() || value.length > 200 || !storable(value)) return []
  try {
    await queryRows(sql, text, [value.trim()])
    return []
  } catch (error) {
    const found = sqlRefusal(error)
    if (!found) throw error
    const [message = ''] = found.message.split('\n')
    return [{ field, message, ...(found.hint ? { hint: found.hint } : {}) }]
  }
}

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
