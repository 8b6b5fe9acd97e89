import { z } from 'zod'
import type { Schedule } from '../../db/generated/client/client.ts'
import type { Db } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit, changedFields, hasChanges } from '../access/audit.ts'
import { DomainError, notFound, refuse } from '../errors.ts'
import { check, must, text, type Given } from '../input.ts'
import type { JobPlace } from '../queue/operate.ts'
import { sqlRefusal, type SqlCode } from '../sql-codes.ts'

/** What may be changed about a schedule: whether it runs, and its times, by cron expression or by period. */
export const ScheduleChanges = z
  .object({
    enabled: z.boolean(must('true or false')),
    cron: text(200),
    timeZone: text(100),
    periodSeconds: z
      .int(must('a whole number'))
      .min(60, 'must be at least 60: the clock beats every 5 s, and with pg_cron every minute.')
      .max(31_536_000, 'must be at most a year.'),
  })
  .partial()
  .refine(({ cron, periodSeconds }) => cron === undefined || periodSeconds === undefined, {
    path: ['periodSeconds'],
    error: 'cannot be given together with cron: a schedule goes by one of them.',
  })

export type ScheduleChangesInput = z.input<typeof ScheduleChanges>

/** Changes a schedule; when it is due next follows from its new times. */
export async function updateSchedule(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<ScheduleChangesInput>,
): Promise<Schedule> {
  const { enabled, cron, timeZone, periodSeconds } = check(ScheduleChanges, input)
  // What the one sort of times is set to takes the place of the other.
  const times =
    cron === undefined && periodSeconds === undefined
      ? {}
      : { cron: cron ?? null, periodSeconds: periodSeconds ?? null }
  const data = { isEnabled: enabled, timeZone, ...times }
  const updating = db.$transaction(async (tx) => {
    await tx.$executeRaw`select from freshet.schedules where id = ${id} for no key update`
    const before = await tx.schedule.findUnique({ where: { id } })
    if (!before) throw notFound('schedule', 'input.id')
    const changes = changedFields(before, data)
    await audit(tx, actor, { action: 'UPDATE_SCHEDULE', objectType: 'Schedule', objectId: id, changes })
    if (!hasChanges(changes)) return before
    if (enabled) await tx.$executeRaw`select freshet.resolve_alert(${`schedule:${id}`}, now())`
    return tx.schedule.update({ where: { id }, data: enabled ? { ...data, disabledReason: null } : data })
  })
  return updating.catch(refuseTimes)
}

/** Enqueues a schedule's job now, beside its times. Answers where it lies, or where the one lies that is there already. */
export async function runSchedule(db: Db, actor: Actor, id: bigint): Promise<JobPlace> {
  const running = db.$transaction(async (tx) => {
    const found = await tx.schedule.findUnique({ where: { id } })
    if (!found) throw notFound('schedule', 'id')
    const [row] = await queryRows<{ id: string }>(tx, 'select freshet.run_schedule($1, now())::text as id', [id])
    const place = { queue: found.queue, id: row?.id ?? '' }
    const changes = { queue: { to: place.queue }, job: { to: place.id } }
    await audit(tx, actor, { action: 'RUN_SCHEDULE', objectType: 'Schedule', objectId: id, changes })
    return place
  })
  return running.catch((error: unknown) => {
    if (sqlRefusal(error)?.code !== 'FR010') throw error
    throw new DomainError('CONFLICT', "This schedule's queue does not exist.", {
      field: 'id',
      hint: 'Start any process of this version, or run "freshet migrate": both make the queues.',
      cause: error,
    })
  })
}

const refusals: Partial<Record<SqlCode, string>> = { FR031: 'input.cron', FR032: 'input.timeZone' }

/** Postgres itself reads the expression; what it says names the character that is wrong. */
function refuseTimes(error: unknown): never {
  const found = sqlRefusal(error)
  const field = found && refusals[found.code]
  if (found && field) refuse([{ field, message: firstLine(found.message), ...hintOf(found) }])
  throw error
}

const hintOf = ({ hint }: { hint: string }) => (hint ? { hint } : {})
const firstLine = (message: string) => message.split('\n')[0] ?? message
