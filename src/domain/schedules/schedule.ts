import { z } from 'zod'
import type { Schedule } from '../../db/generated/client/client.ts'
import type { Db, Tx } from '../../db/prisma.ts'
import { queryRows } from '../../db/sql.ts'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { changeRow } from '../change.ts'
import { DomainError, notFound, refuse } from '../errors.ts'
import { checkWith, must, type Given } from '../input.ts'
import type { JobPlace } from '../queue/operate.ts'
import { sqlRefusal } from '../sql-codes.ts'
import { cronText, findBadTimes, timeProblem, zoneText } from './times.ts'

/** What may be changed about a schedule: whether it runs, and its times, by cron expression or by period. */
export const ScheduleChanges = z
  .object({
    enabled: z.boolean(must('true or false')),
    cron: cronText,
    timeZone: zoneText,
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

const fields = { cron: 'input.cron', timeZone: 'input.timeZone' }

/** Changes a schedule of its own; when it is due next follows from its new times. */
export async function updateSchedule(
  db: Db,
  actor: Actor,
  id: bigint,
  input: Given<ScheduleChangesInput>,
): Promise<bigint> {
  const { enabled, cron, timeZone, periodSeconds } = await checkWith(ScheduleChanges, input, () =>
    findBadTimes(db, input, fields),
  )
  // What the one sort of times is set to takes the place of the other.
  const times =
    cron === undefined && periodSeconds === undefined
      ? {}
      : { cron: cron ?? null, periodSeconds: periodSeconds ?? null }
  const data = { isEnabled: enabled, timeZone, ...times }
  // What disabled it is over with its enabling.
  const settle = async (tx: Tx, write: (more: { disabledReason: null }) => Promise<void>) => {
    await tx.$executeRaw`select freshet.resolve_alert(${`schedule:${id}`}, now())`
    await write({ disabledReason: null })
  }
  const updating = changeRow(db, actor, {
    model: 'Schedule',
    id,
    field: 'input.id',
    action: 'UPDATE_SCHEDULE',
    decide: (schedule) => {
      refuseOwned(schedule, 'input.id')
      return data
    },
    around: enabled ? settle : undefined,
  })
  return updating.catch(async (error: unknown) => {
    const refused = timeProblem(error, fields)
    if (!refused) throw error
    const problems = await findBadTimes(db, { cron, timeZone }, fields)
    refuse(problems.length > 0 ? problems : [refused]) // none where what is stored went bad
    throw error
  })
}

/** Enqueues the job of a schedule of its own now, beside its times. Answers where it lies, or where the one lies that is there already. */
export async function runSchedule(db: Db, actor: Actor, id: bigint): Promise<JobPlace> {
  const running = db.$transaction(async (tx) => {
    const found = await tx.schedule.findUnique({ where: { id } })
    if (!found) throw notFound('schedule', 'id')
    refuseOwned(found, 'id')
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

/** What has a schedule sets it, together with a state of its own that must not be gone round. */
function refuseOwned({ kind, subjectId }: Pick<Schedule, 'kind' | 'subjectId'>, field: string): void {
  if (subjectId === null) return
  const noun = kind.charAt(0).toUpperCase() + kind.slice(1)
  throw new DomainError('CONFLICT', `This schedule belongs to a ${kind}.`, {
    field,
    hint: `Use update${noun} or run${noun}.`,
  })
}
